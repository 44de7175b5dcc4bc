import { makeBulkTransfer } from '../bulk.js';
import type { BulkOptions, BulkTransfer } from '../bulk.js';
import { nodeDigests } from './digests.js';
import { NodeWire } from './wire.js';
import type { NodeWireOptions } from './wire.js';

/** In Node: sockets of its own, native hashes. */
export const createBulkTransfer = (options: BulkOptions & NodeWireOptions): BulkTransfer =>
  makeBulkTransfer(options, () => ({ wire: options.wire ?? new NodeWire(options), digests: nodeDigests }));

export * from '../index.js';
export { awsSettings } from './aws-settings.js';
export type { AwsFlags, AwsSettings } from './aws-settings.js';
export { DiskJournal } from './disk-journal.js';
export { FolderTarget } from './folder-target.js';
export { fileSource, walk } from './walk.js';
export type { WalkOptions } from './walk.js';
export { proxyFromEnvironment } from './proxy.js';
export type { ProxyChoice } from './proxy.js';
export { NodeWire } from './wire.js';
export type { NodeWireOptions } from './wire.js';
