import { makeBulkTransfer } from './bulk-transfer.js';
import type { BulkOptions, BulkTransfer } from './bulk-transfer.js';
import { portableDigests } from './s3/digests.js';
import { FetchWire } from './http/fetch-client.js';
import type { FetchWireOptions } from './http/fetch-client.js';

/** In a page: requests by fetch and XMLHttpRequest, hashes of its own. Credentials stay in memory. */
export const createBulkTransfer = (options: BulkOptions & FetchWireOptions): BulkTransfer =>
  makeBulkTransfer(options, () => ({ wire: options.wire ?? new FetchWire(options), digests: portableDigests }));

export { S3Error } from './errors.js';
export type { LocalCode, S3ErrorOptions } from './errors.js';
export { FetchWire } from './http/fetch-client.js';
export type { FetchWireOptions } from './http/fetch-client.js';
export { dropSources, fileSources } from './upload/file-sources.js';
export { makeFilter } from './list/path-filter.js';
export type { FilterRule, PathFilter } from './list/path-filter.js';
export type { Journal, JournalPart, Unfinished } from './journal/resume-journal.js';
export { IndexedJournal } from './journal/indexed-db-journal.js';
export { s3Transport } from './upload/element-transport.js';
export type { S3Transport, S3TransportOptions } from './upload/element-transport.js';
export type { BulkListOptions, BulkOptions, BulkTransfer, BulkUploadOptions } from './bulk-transfer.js';
export type { BodyPieces, Origin, Wire, WireAnswer, WireRequest } from './http/http-client.js';
export type { BucketEntry } from './s3/commands/list-buckets.js';
export type { UploadEntry } from './s3/commands/multipart.js';
export type { Comparison } from './sync/compare.js';
export type { Listed } from './list/list-objects.js';
export type { KnownNames, ListOptions } from './list/key-list.js';
export type { ReadOptions } from './download/read-object.js';
export type { RemoveOptions } from './delete/delete-objects.js';
export type { UploadOptions } from './upload/upload.js';
export type { VerifyOptions } from './verify/verify.js';
export type { IfThere, SendOptions, SentFile, UploadSession, UploadSessionOptions } from './upload/upload-session.js';
export type { DownloadOptions } from './download/download.js';
export type { CopyOptions } from './copy/copy.js';
export type { CopySettings } from './copy/copy-settings.js';
export type { EndUnfinishedOptions } from './upload/unfinished-uploads.js';
export type * from './types.js';
export type { RetryOptions, RunOptions } from './transfer/run-options.js';
export type { Integrity, StoreOptions } from './s3/store-options.js';
export type { SortedSource } from './types.js';
export type { SyncOptions } from './sync/sync-options.js';
export type { UploadSettings } from './upload/upload-settings.js';
export type { DownloadSettings } from './download/download-settings.js';
