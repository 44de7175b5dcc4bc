import { makeBulkTransfer } from '../bulk-transfer.js';
import type { BulkOptions, BulkTransfer } from '../bulk-transfer.js';
import { nodeDigests } from './checksums/node-digests.js';
import { NodeHttpClient } from './http/http-client.js';
import type { NodeHttpClientOptions } from './http/http-client.js';

/**
 * Creates a bulk transfer that uses sockets and the hashes of Node.
 * @throws S3Error `InvalidOption` if an option is invalid, such as an `endpoint` that is no http(s) address, or missing `credentials`
 * @example
 * const transfer = createBulkTransfer(awsSettings(process.env));
 * const summary = await transfer.upload(walk('./photos'), { bucket: 'main', prefix: 'photos/' });
 * transfer.close();
 * @see docs/guides/bulk-in-node.md
 */
export const createBulkTransfer = (options: BulkOptions & NodeHttpClientOptions): BulkTransfer =>
  makeBulkTransfer(options, () => ({ wire: options.wire ?? new NodeHttpClient(options), digests: nodeDigests }));

export * from '../index.js';
export { awsSettings } from './config/aws-settings.js';
export type { AwsFlags, AwsSettings } from './config/aws-settings.js';
export { DiskJournal } from './journal/disk-journal.js';
export { FolderTarget } from './files/folder-target.js';
export { fileSource } from './files/file-source.js';
export { walk } from './files/walk.js';
export type { WalkOptions } from './files/walk.js';
export { proxyFromEnvironment } from './http/proxy.js';
export type { ProxyChoice } from './http/proxy.js';
export { NodeHttpClient } from './http/http-client.js';
export type { NodeHttpClientOptions } from './http/http-client.js';
// Earlier names. Programs may import them.
export { NodeHttpClient as NodeWire } from './http/http-client.js';
export type { NodeHttpClientOptions as NodeWireOptions } from './http/http-client.js';
