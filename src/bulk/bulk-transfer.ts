import type { SortedSource } from './types.js';
import type { SyncDownOptions, SyncUpOptions, SyncWithinOptions } from './sync/sync-options.js';
import type { StoreOptions } from './s3/store-options.js';
import type { RunOptions } from './transfer/run-options.js';
import type { BucketEntry } from './s3/commands/list-buckets.js';
import type { UploadEntry } from './s3/commands/list-uploads.js';
import type { Digests } from './s3/digests.js';
import { validatePlace, validateStoreOptions } from './validate.js';
import type { CopyOptions } from './copy/copy.js';
import type { DownloadOptions } from './download/download.js';
import { listAllBuckets, list } from './list/list-objects.js';
import type { Listed } from './list/list-objects.js';
import type { ReadOptions } from './download/read-object.js';
import type { RemoveOptions } from './delete/delete-objects.js';
import { upload } from './upload/upload.js';
import { abortUnfinished, listUnfinished } from './upload/unfinished-uploads.js';
import type { EndUnfinishedOptions } from './upload/unfinished-uploads.js';
import type { UploadOptions } from './upload/upload.js';
import { UploadSession } from './upload/upload-session.js';
import type { UploadSessionOptions } from './upload/upload-session.js';
import type { VerifyOptions } from './verify/verify.js';
import { Store } from './s3/object-store.js';
import type { Place, SourceFile, Summary, Target } from './types.js';
import type { HttpClient } from './http/http-client.js';

/** Options of `createBulkTransfer`. */
export interface BulkOptions extends Omit<StoreOptions, 'wire' | 'digests'> {
  /** HTTP client that sends the requests. @default the client of the platform */
  wire?: HttpClient;
}

/** Options of `BulkTransfer.upload`. */
export interface BulkUploadOptions extends UploadOptions {
  /** Uploads one file to the key `to.prefix` itself. @default false */
  exact?: boolean;
}

/** Options of `BulkTransfer.list`. */
export interface BulkListOptions extends RunOptions {
  /** Groups keys by the text up to this delimiter, usually `/`, and returns one level. @default all levels */
  delimiter?: string;
}

/**
 * Moves files in bulk between this platform and an S3-compatible store.
 *
 * Methods that return a `Summary` list failed files in it. They reject only if the whole transfer cannot continue:
 * `Aborted` if the caller stops it, `ListenerFailed`, `SourceUnreadable` or `ListingBroken`. The error's `summary`
 * holds the work and failures until then.
 * @throws S3Error `InvalidOption` before the first request; later `CredentialsMissing`, `NoSuchBucket` and `AccessDenied`
 */
export interface BulkTransfer {
  /** The store that all methods use. */
  readonly store: Store;
  /**
   * Uploads files below a prefix. Sends large files in parts and resumes from `options.journal`.
   * @param source files to upload; paths are relative and use `/`
   * @returns counts and failures, such as `SourceUnreadable`, `FileChanged`, `NameUnsafe` or `ChecksumMismatch`
   */
  upload(source: AsyncIterable<SourceFile> | Iterable<SourceFile>, to: Place, options?: BulkUploadOptions): Promise<Summary>;
  /**
   * Opens a session for files that arrive one by one, such as those of a list in a page that can be paused and retried.
   * @throws S3Error `InvalidOption`
   */
  uploadSession(to: Place, options?: UploadSessionOptions): UploadSession;
  /**
   * Downloads every object below a prefix. A file gets its name only after its bytes were verified.
   * @returns counts and failures, such as `NameUnsafe`, `NameTaken`, `TargetFull` or `ChecksumMismatch`
   */
  download(from: Place, target: Target, options?: DownloadOptions): Promise<Summary>;
  /**
   * Downloads the object with the key `from.prefix` to `path` in the target.
   * @returns a summary with the failure `NoSuchKey` if there is none, `InvalidOption` for an empty key that ends in a slash
   */
  downloadExact(from: Place, target: Target, path: string, options?: DownloadOptions): Promise<Summary>;
  /**
   * Copies objects within the store. No bytes pass through this platform.
   * @returns counts and failures, such as `PreconditionFailed` if a source changed, or `ChecksumMismatch`
   * @throws S3Error `InvalidOption` if the prefixes overlap
   */
  copy(from: Place, to: Place, options?: CopyOptions): Promise<Summary>;
  /**
   * Makes a prefix match a local tree.
   * @param source the tree in the order of keys; may be read more than once
   * @returns a summary with the failures `NotDeleted` or `TooMuchToDelete` if `delete` was refused
   * @throws S3Error `ListingBroken` if a side is not in order
   */
  syncUp(source: SortedSource, to: Place, options?: SyncUpOptions): Promise<Summary>;
  /**
   * Makes a local tree match a prefix.
   * @param existing the local tree in the order of keys
   * @returns a summary with the failures `NotDeleted` or `TooMuchToDelete` if `delete` was refused
   * @throws S3Error `ListingBroken` if a side is not in order
   */
  syncDown(from: Place, target: Target, existing: SortedSource, options?: SyncDownOptions): Promise<Summary>;
  /**
   * Makes one prefix match another in the same store. No bytes pass through this platform.
   * @returns a summary with the failures `NotDeleted` or `TooMuchToDelete` if `delete` was refused
   * @throws S3Error `InvalidOption` if the prefixes overlap
   */
  syncWithin(from: Place, to: Place, options?: SyncWithinOptions): Promise<Summary>;
  /**
   * Compares every byte of a local tree with the objects below a prefix, in both directions.
   * @param source the tree in the order of keys
   * @returns a summary with a failure `NotEqual` for each difference
   * @throws S3Error `ListingBroken` if a side is not in order
   */
  verify(source: SortedSource, place: Place, options?: VerifyOptions): Promise<Summary>;
  /** Lists objects in the order of keys. @throws S3Error `NoSuchBucket`, `AccessDenied`, `ListingBroken` */
  list(place: Place, options?: BulkListOptions): AsyncGenerator<Listed>;
  /** Lists the buckets that the credentials may see. @throws S3Error `AccessDenied` */
  buckets(options?: RunOptions): Promise<BucketEntry[]>;
  /**
   * Creates a bucket in the region of the store.
   * @returns false if the store reports that the bucket exists and is yours; AWS does not report it in `us-east-1`
   * @throws S3Error `BucketAlreadyExists` if another account owns it, `InvalidBucketName`
   */
  makeBucket(bucket: string, options?: RunOptions): Promise<boolean>;
  /** Removes an empty bucket. @throws S3Error `BucketNotEmpty`, `NoSuchBucket` */
  removeBucket(bucket: string, options?: RunOptions): Promise<void>;
  /**
   * Lists unfinished multipart uploads below a prefix. The store keeps and bills their parts.
   * @throws S3Error `NoSuchBucket`, `AccessDenied`, `ListingBroken`
   */
  unfinished(place: Place, options?: RunOptions): AsyncGenerator<UploadEntry>;
  /** Aborts unfinished multipart uploads below a prefix. @returns counts and failures, with the keys of the uploads as names */
  endUnfinished(place: Place, options?: EndUnfinishedOptions): Promise<Summary>;
  /**
   * Deletes the objects below a prefix, of a list of keys, or with one key. Stores report a missing key as deleted.
   * @returns counts and failures, such as `AccessDenied`. After an abort, `maybeDeleted` counts keys whose response is missing.
   */
  delete(place: Place, options?: RemoveOptions): Promise<Summary>;
  /**
   * Reads the bytes of one object in order and verifies them at the end.
   * @throws S3Error `NoSuchKey`, `FileChanged`, `ChecksumMismatch`
   */
  read(from: Place, options?: ReadOptions): AsyncGenerator<Uint8Array>;
  /** Closes idle connections. Connections in use finish their request first; later requests open their own connections. */
  close(): void;
}

/** Implementations that differ between pages and Node. */
export interface Platform {
  wire: HttpClient;
  digests: Digests;
}

// A page loads the modules of an operation when it calls the operation.
const importDownload = () => import('./download/download.js');
const importSync = () => import('./sync/sync.js');

async function* read(store: Store, from: Place, options: ReadOptions): AsyncGenerator<Uint8Array> {
  const { readObject } = await import('./download/read-object.js');
  yield* readObject(store, from, options);
}

const validateBucket = (bucket: string): string => validatePlace({ bucket, prefix: '' }).bucket;

/** @throws S3Error `InvalidOption` */
export function makeBulkTransfer(options: BulkOptions, platform: () => Platform): BulkTransfer {
  const store = new Store({ ...validateStoreOptions(options), ...platform() });
  return {
    store,
    upload: async (source, to, uploadOptions = {}) => upload(store, source, validatePlace(to), uploadOptions),
    uploadSession: (to, sessionOptions) => new UploadSession(store, validatePlace(to), sessionOptions),
    async download(from, target, downloadOptions = {}) {
      const { download } = await importDownload();
      return download(store, validatePlace(from), target, downloadOptions);
    },
    async downloadExact(from, target, path, downloadOptions = {}) {
      const { downloadExact } = await importDownload();
      return downloadExact(store, validatePlace(from), target, path, downloadOptions);
    },
    async copy(from, to, copyOptions = {}) {
      const { copy } = await import('./copy/copy.js');
      return copy(store, validatePlace(from), validatePlace(to), copyOptions);
    },
    async syncUp(source, to, syncOptions = {}) {
      const { syncUp } = await importSync();
      return syncUp(store, source, validatePlace(to), syncOptions);
    },
    async syncDown(from, target, existing, syncOptions = {}) {
      const { syncDown } = await importSync();
      return syncDown(store, validatePlace(from), target, existing, syncOptions);
    },
    async syncWithin(from, to, syncOptions = {}) {
      const { syncWithin } = await importSync();
      return syncWithin(store, validatePlace(from), validatePlace(to), syncOptions);
    },
    async verify(source, place, verifyOptions = {}) {
      const { verify } = await import('./verify/verify.js');
      return verify(store, source, validatePlace(place), verifyOptions);
    },
    read: (from, readOptions = {}) => read(store, validatePlace(from), readOptions),
    list: (place, listOptions) => list(store, validatePlace(place), listOptions),
    buckets: (runOptions) => listAllBuckets(store, runOptions),
    async makeBucket(bucket, runOptions) {
      const { makeBucket } = await import('./buckets/make-bucket.js');
      return makeBucket(store, validateBucket(bucket), runOptions);
    },
    async removeBucket(bucket, runOptions) {
      const { removeBucket } = await import('./buckets/remove-bucket.js');
      return removeBucket(store, validateBucket(bucket), runOptions);
    },
    unfinished: (place, runOptions) => listUnfinished(store, validatePlace(place), runOptions),
    endUnfinished: async (place, endOptions) => abortUnfinished(store, validatePlace(place), endOptions),
    async delete(place, removeOptions) {
      const { deleteObjectsAt } = await import('./delete/delete-objects.js');
      return deleteObjectsAt(store, validatePlace(place), removeOptions);
    },
    close: () => store.httpClient.close(),
  };
}
