import { makeBulkTransfer } from '../bulk.js';
import type { BulkOptions, BulkTransfer } from '../bulk.js';
import { nodeDigests } from './digests.js';
import { NodeWire } from './wire.js';
import type { NodeWireOptions } from './wire.js';

/** In Node: sockets of its own, native hashes. @throws S3Error when first used, not when made. */
export const createBulkTransfer = (options: BulkOptions & NodeWireOptions): BulkTransfer =>
  makeBulkTransfer(options, { wire: options.wire ?? new NodeWire(options), digests: nodeDigests });

export { FileReader } from './file-reader.js';
export { DiskJournal } from './disk-journal.js';
export { FolderTarget } from './folder-target.js';
export { fileSource, walk } from './walk.js';
export type { WalkOptions } from './walk.js';
export { NodeWire } from './wire.js';
export type { NodeWireOptions } from './wire.js';
export { S3Error } from '../errors.js';
export type { BulkOptions, BulkTransfer } from '../bulk.js';
export type * from '../types.js';
