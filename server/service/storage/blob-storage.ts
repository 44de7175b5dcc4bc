// Long because it is the one face of the storage: a short method for each operation.
import { ADMIN_CREATOR } from '../identity/creator.js';
import type { Creator } from '../identity/creator.js';
import type { BytesDriver } from '../drivers/bytes/driver.js';
import type { Metadata } from '../drivers/metadata/metadata.js';
import type { StorageContext, ReadFailure } from './context.js';
import { createContext } from './create-context.js';
import type {
  Body,
  Idempotency,
  Bucket,
  CompleteOptions,
  Conditions,
  CopyOptions,
  FileChanges,
  Listing,
  ListOptions,
  ListUploadsOptions,
  OpenedFile,
  Part,
  PutOptions,
  PutResult,
  StoredFile,
  Upload,
  UploadListing,
  StorageUsage,
} from './types.js';
import { findDerived } from './derived/find-derived.js';
import { putDerivationFailure, putDerived } from './derived/put-derived.js';
import type { DerivationFailure, DerivedFile } from './derived/derived-rows.js';
import { changeBucketSettings, createBucket, deleteBucket, findBucket, listBuckets } from './files/buckets.js';
import { copyFile } from './files/copy.js';
import { deleteFile, deleteFileOfToken, deleteFiles, deleteKey, deleteKeys } from './files/delete.js';
import type { KeyToDelete, TokenDeletion } from './files/delete.js';
import { listFiles } from './files/list.js';
import { moveFile } from './files/move.js';
import { putFile } from './uploads/put-file.js';
import { ResumableUploads } from './resumable/resumable-uploads.js';
import { ReusedPing } from './maintenance/ping.js';
import { fileById, fileByKey, openFile } from './files/read.js';
import { updateFile } from './files/update.js';
import { completedUpload, completeUpload } from './multipart/complete-upload.js';
import { listUploads } from './multipart/list-uploads.js';
import { abortUpload, createUpload, findUpload } from './multipart/multipart-uploads.js';
import { copyPart, listParts, putPart } from './multipart/parts.js';
import type { PartOptions } from './multipart/parts.js';
import { readUsage } from './files/usage.js';
import { FileSearch } from './search/file-search.js';
import { Breakdowns } from './statistics/breakdowns.js';
import { DailySums } from './statistics/daily-sums.js';
import { Jobs } from './jobs/jobs.js';
import { ScanPolicy } from './scans/scan-policy.js';
import { ScanQueue } from './scans/scan-queue.js';
import { scrub } from './maintenance/scrub.js';
import type { Finding, ScrubReport } from './maintenance/scrub.js';
import { releaseInterrupted, trackUpload } from './uploads/running-uploads.js';
import { sweep, sweepOrphans } from './maintenance/sweep.js';
import type { SweepOptions, SweepReport } from './maintenance/sweep.js';
import type { Credential, Storage } from '../identity/credential.js';
import { assertMayStart } from '../identity/token-uses.js';
import { findEarlier, idempotencyIdOf } from './uploads/idempotency.js';

export type * from './types.js';
export type { ReadFailure } from './context.js';
export type { DerivedFile } from './derived/derived-rows.js';
export type { Resumable } from './resumable/resumable-rows.js';

type GivenContext = Pick<StorageContext, 'replica' | 'now' | 'derivedLimits'> & Partial<Pick<StorageContext, 'scanPolicy'>>;

/**
 * Stores files: the only place that joins bytes and metadata. REST routes and S3 commands call this class and nothing below it.
 *
 * A file exists from the commit of its row, after its bytes are durable. A crash leaves the whole file or nothing. All methods throw
 * `BlobError` with the codes of the REST API. The caller authorizes the request before. Only a `credential` is validated again here: uses and
 * expiry when an upload starts, revocation when it commits.
 */
export class BlobStorage {
  readonly #context: StorageContext;
  readonly #ping: ReusedPing;
  /** Receives every stored blob that could not be read, for log and metrics. */
  onReadFailure: ((failure: ReadFailure) => void) | undefined;
  /** Called when deliveries of webhooks were written, before their commit. */
  onEvents: (() => void) | undefined;
  /** Called when a file was written that must be scanned, before its commit. */
  onPendingScan: (() => void) | undefined;
  /** Uploads whose bytes arrive over several requests (tus). */
  readonly resumable: ResumableUploads;
  /** Files that the virus scanner must read. */
  readonly scans: ScanQueue;
  readonly search: FileSearch;
  /** Changes to many files. */
  readonly jobs: Jobs;
  /** Requests, traffic and uploads of accounts by day. */
  readonly dailySums: DailySums;
  /** The largest folders and types of buckets. */
  readonly breakdowns: Breakdowns;

  constructor(metadata: Metadata, bytes: BytesDriver, context: GivenContext) {
    const reportReadFailure = (failure: ReadFailure) => this.onReadFailure?.(failure);
    this.dailySums = new DailySums(metadata, context.now);
    const countUploads: StorageContext['countUploads'] = (accountId, counts) => this.dailySums.add(accountId, counts);
    const reportEvents = () => this.onEvents?.();
    const reportPendingScan = () => this.onPendingScan?.();
    const { scanPolicy = new ScanPolicy() } = context;
    this.#context = createContext(metadata, bytes, {
      ...context,
      scanPolicy,
      reportReadFailure,
      reportEvents,
      reportPendingScan,
      countUploads,
    });
    this.scans = new ScanQueue(this.#context);
    this.#ping = new ReusedPing(this.#context);
    this.resumable = new ResumableUploads(this.#context);
    this.search = new FileSearch(this.#context);
    this.jobs = new Jobs(this.#context);
    this.breakdowns = new Breakdowns(this.#context);
  }

  /**
   * Stores a body as the file at `key`. Replaces an existing file unless the conditions forbid it. With an idempotency key, a repeat compares
   * the body and returns the first result.
   * @throws `FILE_EXISTS`, `PRECONDITION_FAILED`, `BLOB_FILE_TOO_LARGE`, `BLOCKED_FILE_TYPE`, `STORAGE_FULL`, `BLOB_UPLOAD_TOKEN_INVALID`,
   * `IDEMPOTENCY_KEY_REUSED`, `OPERATION_IN_PROGRESS`.
   */
  put(storage: Storage, key: string, body: Body, options: PutOptions): Promise<PutResult> {
    const upload = putFile(this.#context, storage, key, body, options);
    return trackUpload(this.#context, this.dailySums.countUpload(storage.accountId, upload));
  }

  /**
   * Validates a token before a route parses a body to find the file in it. A token without uses left passes if the request may be a repeat.
   * @param key idempotency key of the request. @throws `BLOB_UPLOAD_TOKEN_INVALID`.
   */
  assertMayStart(storage: Storage, credential: Credential, key: string | undefined): Promise<void> {
    const { metadata, now } = this.#context;
    return assertMayStart(metadata.db, credential, key === undefined ? undefined : idempotencyIdOf(storage, key), now());
  }

  /**
   * Finds the file that an upload with an idempotency key stored, for uploads whose bytes must not be read again.
   * @throws `IDEMPOTENCY_KEY_REUSED`, `BLOB_UPLOAD_TOKEN_INVALID`.
   */
  async earlierUpload(storage: Storage, credential: Credential, idempotency: Idempotency): Promise<StoredFile | undefined> {
    const { metadata, now } = this.#context;
    const found = await findEarlier(metadata.db, idempotencyIdOf(storage, idempotency.key), idempotency, credential, now());
    if (found === undefined || found === 'running') return undefined;
    await metadata.flushed();
    return found;
  }

  /** Validates a token in the same way for a body that contains the keys of several uploads. */
  assertMayStartSome(credential: Credential): Promise<void> {
    const { metadata, now } = this.#context;
    return assertMayStart(metadata.db, credential, 'in the body', now());
  }

  /** @returns undefined if there is no file or it has expired. */
  get(storage: Storage, key: string): Promise<StoredFile | undefined> {
    return fileByKey(this.#context, storage, key);
  }

  getById(storage: Storage, id: string): Promise<StoredFile | undefined> {
    return fileById(this.#context, storage, id);
  }

  /**
   * Checks that the virus scan allows to deliver a file. `OpenedFile.read` checks it, too. Call it before a response begins.
   * @param name states the file in the details of the error, for requests for several files.
   * @throws `FILE_NOT_SCANNED`, `FILE_INFECTED`.
   */
  assertDeliverable(file: Pick<StoredFile, 'scan'>, name?: string): void {
    this.#context.scanPolicy.assertDeliverable(file, name);
  }

  /** Opens a file for reading. @returns undefined if there is no file or it has expired. */
  open(storage: Storage, key: string): Promise<OpenedFile | undefined> {
    return openFile(this.#context, storage, { key });
  }

  openById(storage: Storage, id: string): Promise<OpenedFile | undefined> {
    return openFile(this.#context, storage, { id });
  }

  /** Finds what was derived from a file. @returns undefined if it must be computed. @throws the stored failure of the computation. */
  findDerived(file: StoredFile, variant: string): Promise<DerivedFile | undefined> {
    return findDerived(this.#context, file, variant);
  }

  /** Stores what was derived from a file, until the file changes or the cache is full. @throws `FILE_NOT_FOUND` if the file has changed. */
  putDerived(file: StoredFile, variant: string, content: { bytes: Uint8Array; contentType: string }): Promise<DerivedFile> {
    return putDerived(this.#context, file, variant, content);
  }

  /** Stores for ten minutes that nothing can be derived. @throws `FILE_NOT_FOUND` if the file has changed. */
  putDerivationFailure(file: StoredFile, variant: string, failure: DerivationFailure): Promise<void> {
    return putDerivationFailure(this.#context, file, variant, failure);
  }

  /** Lists files by key in UTF-8 byte order. */
  list(storage: Storage, options: ListOptions): Promise<Listing> {
    return listFiles(this.#context, storage, options);
  }

  /** Changes properties and key in one transaction. Bytes, id and etag stay. @throws `FILE_NOT_FOUND`, `FILE_EXISTS`, `PRECONDITION_FAILED`. */
  update(storage: Storage, id: string, changes: FileChanges): Promise<StoredFile> {
    return updateFile(this.#context, storage, id, changes);
  }

  /**
   * Copies a file without copying bytes, because blobs are immutable and shared. Properties in `options` replace those of the source.
   * @throws `FILE_NOT_FOUND`, `STORAGE_FULL`, and what the conditions refuse at the target.
   */
  copy(from: Storage, sourceId: string, to: Storage, key: string, options: CopyOptions): Promise<PutResult> {
    return copyFile(this.#context, from, sourceId, to, key, options);
  }

  /** Renames a file in one transaction. The id stays. @throws `FILE_NOT_FOUND`, `FILE_EXISTS`, `PRECONDITION_FAILED`. */
  move(storage: Storage, id: string, key: string, conditions: Conditions): Promise<StoredFile> {
    return moveFile(this.#context, storage, id, key, conditions);
  }

  /** Deletes a file. @returns the deleted file, undefined if there was none. */
  delete(storage: Storage, key: string, conditions?: Pick<Conditions, 'ifMatch'>): Promise<StoredFile | undefined> {
    return deleteKey(this.#context, storage, key, conditions);
  }

  deleteById(
    storage: Storage,
    id: string,
    conditions?: Pick<Conditions, 'ifMatch' | 'ifNoneMatch'>,
  ): Promise<StoredFile | undefined> {
    return deleteFile(this.#context, storage, id, conditions);
  }

  /** Deletes a file that an upload token stored. Other files are not found. @throws `BLOB_UPLOAD_TOKEN_INVALID` */
  deleteOfToken(
    storage: Storage,
    id: string,
    conditions: Pick<Conditions, 'ifMatch' | 'ifNoneMatch'>,
    deletion: TokenDeletion,
  ): Promise<StoredFile | undefined> {
    return deleteFileOfToken(this.#context, storage, id, conditions, deletion);
  }

  /** Deletes files. @returns the ids of the deleted files. */
  deleteMany(storage: Storage, ids: readonly string[], creator: Creator = ADMIN_CREATOR): Promise<Set<string>> {
    return deleteFiles(this.#context, storage, ids, creator);
  }

  /** Deletes files by their keys. @returns the items whose condition is not met. */
  deleteKeys(storage: Storage, items: readonly KeyToDelete[], creator: Creator): Promise<Set<KeyToDelete>> {
    return deleteKeys(this.#context, storage, items, creator);
  }

  /** Creates an upload in parts. Takes the token's use. */
  createUpload(
    storage: Storage,
    key: string,
    options: Pick<Upload, 'kind' | 'properties' | 'credential'> & Partial<Pick<Upload, 'state' | 'expiresAt'>>,
  ): Promise<Upload> {
    return createUpload(this.#context, storage, key, options);
  }

  /** @returns undefined if the upload is unknown, finished or aborted. */
  findUpload(storage: Storage, id: string): Promise<Upload | undefined> {
    return findUpload(this.#context, storage, id);
  }

  /** Lists unfinished uploads by key, then by creation. */
  listUploads(storage: Storage, options: ListUploadsOptions): Promise<UploadListing> {
    return listUploads(this.#context, storage, options);
  }

  /** Stores or replaces a part. Resolves when the part is durable. */
  putPart(upload: Upload, number: number, body: Body, options: PartOptions): Promise<Part> {
    return trackUpload(this.#context, putPart(this.#context, upload, number, body, options));
  }

  /** Stores a range of a file as a part. Reads and writes the bytes. */
  copyPart(
    upload: Upload,
    number: number,
    source: OpenedFile,
    range: { start: number; end: number },
    options: PartOptions,
  ): Promise<Part> {
    return trackUpload(this.#context, copyPart(this.#context, upload, number, source, range, options));
  }

  /** Lists parts by number, after the part number `after`. */
  listParts(upload: Upload, options?: { after?: number; limit?: number }): Promise<Part[]> {
    return listParts(this.#context, upload, options);
  }

  /**
   * Commits the file that consists of the parts in `options`. Reads the bytes once for the SHA-256 of the whole. Deletes parts that are left out.
   * @throws `VALIDATION_ERROR` with `path: 'parts'` if a part is missing or has another etag.
   */
  completeUpload(upload: Upload, options: CompleteOptions): Promise<PutResult> {
    const completed = completeUpload(this.#context, upload, options);
    return trackUpload(this.#context, this.dailySums.countUpload(upload.accountId, completed));
  }

  /** @returns the file that the same request (`CompleteOptions.request`) committed less than a day ago; otherwise undefined. */
  completedUpload(storage: Storage, uploadId: string, request: string): Promise<StoredFile | undefined> {
    return completedUpload(this.#context, storage, uploadId, request);
  }

  /** Deletes the parts and gives the token's use back. @returns false if the upload was finished or aborted before. */
  abortUpload(upload: Upload): Promise<boolean> {
    return abortUpload(this.#context, upload);
  }

  /** @throws `VALIDATION_ERROR` with `path: 'name'` and `details.reason`: `taken`, `yours` or `too_many_buckets`. */
  createBucket(accountId: string, name: string): Promise<Bucket> {
    return createBucket(this.#context, accountId, name);
  }

  /** Finds a bucket of any account. The caller compares `accountId`. */
  findBucket(name: string): Promise<Bucket | undefined> {
    return findBucket(this.#context, name);
  }

  listBuckets(accountId: string): Promise<Bucket[]> {
    return listBuckets(this.#context, accountId);
  }

  /** Deletes a bucket, also with unfinished uploads. @throws `VALIDATION_ERROR` with `details.reason`: `not_empty` or `main`. */
  deleteBucket(bucket: Bucket): Promise<void> {
    return deleteBucket(this.#context, bucket);
  }

  changeBucketSettings(bucket: Bucket, changes: Record<string, unknown>): Promise<void> {
    return changeBucketSettings(this.#context, bucket, changes);
  }

  usage(accountId: string): Promise<StorageUsage> {
    return readUsage(this.#context, accountId);
  }

  /** Tells other replicas that the uploads of this process are alive. Call it every 30 seconds. */
  keepAlive(): Promise<void> {
    return this.#context.heartbeat.beat(this.#context);
  }

  /**
   * Waits up to 3 seconds for interrupted uploads, then releases their uses, idempotency keys and quota. Call it after the last request and
   * before the database closes. A sweep releases the rest.
   */
  releaseInterrupted(): Promise<void> {
    return releaseInterrupted(this.#context);
  }

  /** Releases uploads of dead processes, and deletes expired files, expired uploads and unreferenced blobs. */
  sweep(options?: SweepOptions): Promise<SweepReport> {
    return sweep(this.#context, options);
  }

  /** Deletes blobs of the store that no row mentions. @returns the number of deleted blobs. */
  sweepOrphans(options?: SweepOptions): Promise<number> {
    return sweepOrphans(this.#context, options);
  }

  /** Reads every stored byte and compares it with its hash. Changes nothing. @param report receives each problem. */
  scrub(report: (finding: Finding) => void, signal?: AbortSignal): Promise<ScrubReport> {
    return scrub(this.#context, report, signal);
  }

  /** Checks that database and store can be reached, at most once a second. @throws if one cannot be reached within 5 seconds. */
  ping(): Promise<void> {
    return this.#ping.check();
  }
}
