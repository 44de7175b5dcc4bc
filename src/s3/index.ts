import { makeBulkTransfer } from './bulk.js';
import type { BulkOptions, BulkTransfer } from './bulk.js';
import { portableDigests } from './digests.js';
import { FetchWire } from './fetch-wire.js';
import type { FetchWireOptions } from './fetch-wire.js';

/** In a page: requests by fetch and XMLHttpRequest, hashes of its own. Credentials stay in memory. */
export const createBulkTransfer = (options: BulkOptions & FetchWireOptions): BulkTransfer =>
  makeBulkTransfer(options, () => ({ wire: options.wire ?? new FetchWire(options), digests: portableDigests }));

export { S3Error } from './errors.js';
export type { LocalCode, S3ErrorOptions } from './errors.js';
export { FetchWire } from './fetch-wire.js';
export type { FetchWireOptions } from './fetch-wire.js';
export { dropSources, fileSources } from './file-sources.js';
export { makeFilter } from './filter.js';
export type { FilterRule, PathFilter } from './filter.js';
export type { Journal, JournalPart, Unfinished } from './journal.js';
export { IndexedJournal } from './indexed-journal.js';
export { s3Transport } from './transport.js';
export type { S3Transport, S3TransportOptions } from './transport.js';
export type { BulkOptions, BulkTransfer } from './bulk.js';
export type { Integrity, StoreOptions } from './store.js';
export type { RetryOptions } from './retry.js';
export type { BodyPieces, Origin, Wire, WireAnswer, WireRequest } from './wire.js';
export type { BucketEntry } from './commands/list-buckets.js';
export type { UploadEntry } from './commands/multipart.js';
export type { Comparison } from './engine/compare.js';
export type { Listed } from './engine/list.js';
export type { KnownNames, ListOptions } from './engine/named.js';
export type { ReadOptions } from './engine/read.js';
export type { RemoveOptions } from './engine/remove.js';
export type { SortedSource, SyncOptions } from './engine/sync.js';
export type { UploadOptions } from './engine/upload.js';
export type { UploadSettings } from './engine/put-bytes.js';
export type { VerifyOptions } from './engine/verify.js';
export type { IfThere, SendOptions, SentFile, UploadSession, UploadSessionOptions } from './engine/upload-session.js';
export type { DownloadOptions } from './engine/download.js';
export type { DownloadSettings } from './engine/download-file.js';
export type { CopyOptions, CopySettings } from './engine/copy.js';
export type { EndUnfinishedOptions } from './engine/unfinished.js';
export type { RunOptions } from './engine/run.js';
export type * from './types.js';
