import { makeBulkTransfer } from './bulk-transfer.js';
import type { BulkOptions, BulkTransfer } from './bulk-transfer.js';
import { portableDigests } from './s3/digests.js';
import { FetchClient } from './http/fetch-client.js';
import type { FetchClientOptions } from './http/fetch-client.js';

/**
 * Creates a transfer for a page. It sends requests by fetch and XMLHttpRequest. Credentials stay in memory.
 * @throws S3Error `InvalidOption` if an option is invalid, such as an `endpoint` that is no http(s) address, or missing `credentials`
 * @example
 * const transfer = createBulkTransfer({ endpoint: 'https://s3.example.org', credentials: fetchTemporaryKeys });
 * const summary = await transfer.upload(fileSources(input.files), { bucket: 'archive', prefix: 'inbox/' });
 * transfer.close();
 * @see docs/guides/s3-from-a-page.md
 */
export const createBulkTransfer = (options: BulkOptions & FetchClientOptions): BulkTransfer =>
  makeBulkTransfer(options, () => ({ wire: options.wire ?? new FetchClient(options), digests: portableDigests }));

export { S3Error } from './errors.js';
export type { LocalCode, S3ErrorOptions } from './errors.js';
export { FetchClient } from './http/fetch-client.js';
export type { FetchClientOptions } from './http/fetch-client.js';
export { dropSources, fileSources } from './upload/file-sources.js';
export { makeFilter } from './list/path-filter.js';
export type { FilterRule, PathFilter } from './list/path-filter.js';
export type { Journal, JournalPart, Unfinished } from './journal/resume-journal.js';
export { IndexedJournal } from './journal/indexed-db-journal.js';
export { s3Transport } from './upload/element-transport.js';
export type { S3Transport, S3TransportOptions } from './upload/element-transport.js';
export type { BulkListOptions, BulkOptions, BulkTransfer, BulkUploadOptions } from './bulk-transfer.js';
export type { BodyPieces, HttpClient, HttpRequest, HttpResponse, Origin } from './http/http-client.js';
// Earlier names of the HTTP client and its types. Programs may import them.
export { FetchClient as FetchWire } from './http/fetch-client.js';
export type { FetchClientOptions as FetchWireOptions } from './http/fetch-client.js';
export type { HttpClient as Wire, HttpRequest as WireRequest, HttpResponse as WireAnswer } from './http/http-client.js';
export type { BucketEntry } from './s3/commands/list-buckets.js';
export type { UploadEntry } from './s3/commands/list-uploads.js';
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
export type { SyncDownOptions, SyncOptions, SyncUpOptions, SyncWithinOptions } from './sync/sync-options.js';
export type { UploadSettings } from './upload/upload-settings.js';
export type { DownloadSettings } from './download/download-settings.js';
