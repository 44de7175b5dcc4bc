import type { BytesDriver } from '../drivers/bytes/driver.js';
import type { Metadata } from '../drivers/metadata/metadata.js';
import type { StorageContext, ReadFailure } from './context.js';
import type {
  Body,
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
import { changeBucketSettings, createBucket, deleteBucket, findBucket, listBuckets } from './files/buckets.js';
import { copyFile } from './files/copy.js';
import { deleteFile, deleteFiles, deleteKey } from './files/delete.js';
import { listFiles } from './files/list.js';
import { moveFile } from './files/move.js';
import { putFile } from './uploads/put-file.js';
import { ResumableUploads } from './resumable/resumable-uploads.js';
import { ping } from './maintenance/ping.js';
import { fileById, fileByKey, openFile } from './files/read.js';
import { updateFile } from './files/update.js';
import { completedUpload, completeUpload } from './multipart/complete-upload.js';
import { listUploads } from './multipart/list-uploads.js';
import { abortUpload, createUpload, findUpload } from './multipart/multipart-uploads.js';
import { copyPart, listParts, putPart } from './multipart/parts.js';
import type { PartOptions } from './multipart/parts.js';
import { readUsage } from './files/usage.js';
import { scrub } from './maintenance/scrub.js';
import type { Finding, ScrubReport } from './maintenance/scrub.js';
import { Heartbeat } from './uploads/heartbeat.js';
import { releaseInterrupted, trackUpload } from './uploads/running-uploads.js';
import { sweep, sweepOrphans } from './maintenance/sweep.js';
import type { SweepOptions, SweepReport } from './maintenance/sweep.js';
import type { Credential, Storage } from '../identity/credential.js';
import { assertMayStart } from '../identity/token-uses.js';
import { idempotencyId } from './uploads/idempotency.js';

/** How long an answer of database and store holds, ms. */
const PINGED_FOR = 1000;

export type * from './types.js';
export type { ReadFailure } from './context.js';
export type { Resumable } from './resumable/resumable-rows.js';

/**
 * The only place where bytes and metadata are joined. REST routes and S3 commands call this and nothing below it.
 *
 * A file exists from the instant its row commits, which is after its bytes are durable; a crash leaves the whole file or nothing. All methods
 * throw `BlobError` with the codes of the REST contract. Who may do it is judged before these methods are called, with one exception:
 * a `credential` is looked at again when an upload starts (uses, expiry) and when it commits (revocation).
 */
export class BlobStorage {
  readonly #context: StorageContext;
  #asked: { until: number; answer: Promise<void> } | undefined;
  /** Called for every stored blob that could not be read, for log and metrics. */
  onReadFailure: ((failure: ReadFailure) => void) | undefined;
  /** Uploads whose bytes arrive over several requests. */
  readonly resumable: ResumableUploads;

  constructor(metadata: Metadata, bytes: BytesDriver, context: Pick<StorageContext, 'replica' | 'now'>) {
    this.#context = {
      ...context,
      metadata,
      bytes,
      pendingReleases: new Set(),
      unrecordedBlobs: new Set(),
      reportReadFailure: (failure) => this.onReadFailure?.(failure),
      heartbeat: new Heartbeat(),
      runningUploads: new Set(),
    };
    this.resumable = new ResumableUploads(this.#context);
  }

  /**
   * Stores a body as the file at `key`, replacing what stands there unless the conditions forbid. The body is counted, limited and hashed
   * while it streams. With an idempotency key a repeat reads and compares the body and answers with the first result.
   */
  put(storage: Storage, key: string, body: Body, options: PutOptions): Promise<PutResult> {
    return trackUpload(this.#context, putFile(this.#context, storage, key, body, options));
  }

  /**
   * For routes that have to read a body to find the file in it. A spent token passes for what may be a repeat.
   * @param key the request's idempotency key. @throws `BLOB_UPLOAD_TOKEN_INVALID`.
   */
  assertMayStart(storage: Storage, credential: Credential, key: string | undefined): Promise<void> {
    const { metadata, now } = this.#context;
    return assertMayStart(metadata.db, credential, key === undefined ? undefined : idempotencyId(storage, key), now());
  }

  /** The same for a body that holds the keys of several uploads. */
  assertMayStartSome(credential: Credential): Promise<void> {
    const { metadata, now } = this.#context;
    return assertMayStart(metadata.db, credential, 'in the body', now());
  }

  /** @returns undefined when there is none (or it has expired). */
  get(storage: Storage, key: string): Promise<StoredFile | undefined> {
    return fileByKey(this.#context, storage, key);
  }

  getById(storage: Storage, id: string): Promise<StoredFile | undefined> {
    return fileById(this.#context, storage, id);
  }

  /** For reading bytes; undefined when there is none. `part` narrows to one part of a multipart file (S3 `partNumber`). */
  open(storage: Storage, key: string): Promise<OpenedFile | undefined> {
    return openFile(this.#context, storage, { key });
  }

  openById(storage: Storage, id: string): Promise<OpenedFile | undefined> {
    return openFile(this.#context, storage, { id });
  }

  /** Keys in UTF-8 byte order. */
  list(storage: Storage, options: ListOptions): Promise<Listing> {
    return listFiles(this.#context, storage, options);
  }

  /** Changes properties and key in one step; bytes, id and etag stay. @throws `FILE_NOT_FOUND`, `FILE_EXISTS`. */
  update(storage: Storage, id: string, changes: FileChanges): Promise<StoredFile> {
    return updateFile(this.#context, storage, id, changes);
  }

  /**
   * Copies without moving bytes (blobs are immutable and shared). Properties that `options` names replace the source's.
   * @throws `FILE_NOT_FOUND` when the source is gone, what the conditions say of the target.
   */
  copy(from: Storage, sourceId: string, to: Storage, key: string, options: CopyOptions): Promise<PutResult> {
    return copyFile(this.#context, from, sourceId, to, key, options);
  }

  /** Renames in one step; the id stays. */
  move(storage: Storage, id: string, key: string, conditions: Conditions): Promise<StoredFile> {
    return moveFile(this.#context, storage, id, key, conditions);
  }

  /** @returns the file that was deleted, undefined when there was none. */
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

  /** @returns the ids of those that were there. */
  deleteMany(storage: Storage, ids: readonly string[]): Promise<Set<string>> {
    return deleteFiles(this.#context, storage, ids);
  }

  /** Starts an upload of several steps: S3 multipart or tus. A token's use is taken here. */
  createUpload(
    storage: Storage,
    key: string,
    options: Pick<Upload, 'kind' | 'properties' | 'credential'> & Partial<Pick<Upload, 'state' | 'expiresAt'>>,
  ): Promise<Upload> {
    return createUpload(this.#context, storage, key, options);
  }

  /** @returns undefined when it is unknown, finished or aborted. */
  findUpload(storage: Storage, id: string): Promise<Upload | undefined> {
    return findUpload(this.#context, storage, id);
  }

  /** Ordered by key, then by start. */
  listUploads(storage: Storage, options: ListUploadsOptions): Promise<UploadListing> {
    return listUploads(this.#context, storage, options);
  }

  /** Stores (or replaces) one part, durable when it resolves. */
  putPart(upload: Upload, number: number, body: Body, options: PartOptions): Promise<Part> {
    return trackUpload(this.#context, putPart(this.#context, upload, number, body, options));
  }

  /** A part from (a range of) a stored file; reads and writes its bytes. */
  copyPart(
    upload: Upload,
    number: number,
    source: OpenedFile,
    range: { start: number; end: number },
    options: PartOptions,
  ): Promise<Part> {
    return trackUpload(this.#context, copyPart(this.#context, upload, number, source, range, options));
  }

  /** Ascending; `after` is a part number, exclusive. */
  listParts(upload: Upload, options?: { after?: number; limit?: number }): Promise<Part[]> {
    return listParts(this.#context, upload, options);
  }

  /**
   * Makes the file of the parts, in the order given, without copying them; the bytes are read once for the SHA-256 of the whole. Parts
   * left out are deleted. @throws `VALIDATION_ERROR` with `path: 'parts'` when one is missing or its etag differs.
   */
  completeUpload(upload: Upload, options: CompleteOptions): Promise<PutResult> {
    return trackUpload(this.#context, completeUpload(this.#context, upload, options));
  }

  /** @returns the file that this very request (`CompleteOptions.request`) made of an upload less than a day ago; undefined otherwise. */
  completedUpload(storage: Storage, uploadId: string, request: string): Promise<StoredFile | undefined> {
    return completedUpload(this.#context, storage, uploadId, request);
  }

  /** Deletes the parts and gives a token's use back. @returns false when the upload was finished or aborted before. */
  abortUpload(upload: Upload): Promise<boolean> {
    return abortUpload(this.#context, upload);
  }

  /** @throws `VALIDATION_ERROR` with `path: 'name'` and `details.reason` `taken` or `yours` when the name is in use. */
  createBucket(accountId: string, name: string): Promise<Bucket> {
    return createBucket(this.#context, accountId, name);
  }

  /** By name over all accounts: the caller compares `accountId`. */
  findBucket(name: string): Promise<Bucket | undefined> {
    return findBucket(this.#context, name);
  }

  listBuckets(accountId: string): Promise<Bucket[]> {
    return listBuckets(this.#context, accountId);
  }

  /** @throws `VALIDATION_ERROR` with `details.reason` `not_empty` or `main`. Running uploads of several steps do not hold it. */
  deleteBucket(bucket: Bucket): Promise<void> {
    return deleteBucket(this.#context, bucket);
  }

  changeBucketSettings(bucket: Bucket, changes: Record<string, unknown>): Promise<void> {
    return changeBucketSettings(this.#context, bucket, changes);
  }

  usage(accountId: string): Promise<StorageUsage> {
    return readUsage(this.#context, accountId);
  }

  /** Tells other replicas that the uploads of this process are alive; due every half minute. */
  keepAlive(): Promise<void> {
    return this.#context.heartbeat.beat(this.#context);
  }

  /**
   * Waits a few seconds for uploads that were cut, and releases what this process still holds: uses, idempotency keys, storage. To be called
   * when no request comes any more, before the database closes. What cannot be released is left to a sweep.
   */
  releaseInterrupted(): Promise<void> {
    return releaseInterrupted(this.#context);
  }

  /** Undoes what died: uploads whose process is gone, expired files and uploads, bytes nobody refers to. */
  sweep(options?: SweepOptions): Promise<SweepReport> {
    return sweep(this.#context, options);
  }

  /** Deletes bytes in the store that no record knows. @returns how many blobs. */
  sweepOrphans(options?: SweepOptions): Promise<number> {
    return sweepOrphans(this.#context, options);
  }

  /** Reads every stored byte again and tells what is wrong with it; changes nothing. */
  scrub(tell: (finding: Finding) => void, signal?: AbortSignal): Promise<ScrubReport> {
    return scrub(this.#context, tell, signal);
  }

  /** Both halves are asked once a second at most, however many want to know. @throws when one cannot be reached. */
  ping(): Promise<void> {
    if (!this.#asked || performance.now() > this.#asked.until) {
      const asked = {
        until: Infinity,
        answer: ping(this.#context).finally(() => (asked.until = performance.now() + PINGED_FOR)),
      };
      this.#asked = asked;
    }
    return this.#asked.answer;
  }
}
