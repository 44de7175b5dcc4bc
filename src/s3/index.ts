import { makeBulkTransfer } from './bulk.js';
import type { BulkOptions, BulkTransfer } from './bulk.js';
import { portableDigests } from './digests.js';
import { FetchWire } from './fetch-wire.js';
import type { FetchWireOptions } from './fetch-wire.js';

/** In a page: requests by fetch and XMLHttpRequest, hashes of its own. Credentials stay in memory. */
export const createBulkTransfer = (options: BulkOptions & FetchWireOptions): BulkTransfer =>
  makeBulkTransfer(options, { wire: options.wire ?? new FetchWire(options), digests: portableDigests });

export { S3Error } from './errors.js';
export { FetchWire } from './fetch-wire.js';
export type { FetchWireOptions } from './fetch-wire.js';
export { dropSources, fileSources } from './file-sources.js';
export { makeFilter } from './filter.js';
export type { FilterRule, PathFilter } from './filter.js';
export type { Journal } from './journal.js';
export { IndexedJournal } from './indexed-journal.js';
export { s3Transport } from './transport.js';
export type { S3Transport, S3TransportOptions } from './transport.js';
export type { BulkOptions, BulkTransfer } from './bulk.js';
export type { SyncOptions } from './engine/sync.js';
export type { UploadOptions } from './engine/upload.js';
export type { IfThere, SendOptions, SentFile, UploadSession, UploadSessionOptions } from './engine/upload-session.js';
export type { DownloadOptions } from './engine/download.js';
export type { CopyOptions } from './engine/copy.js';
export type { EndUnfinishedOptions } from './engine/unfinished.js';
export type { RunOptions } from './engine/run.js';
export type * from './types.js';
