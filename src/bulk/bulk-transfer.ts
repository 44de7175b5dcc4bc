import type { SortedSource } from './types.js';
import type { SyncOptions } from './sync/sync-options.js';
import type { StoreOptions } from './s3/store-options.js';
import type { RunOptions } from './transfer/run-options.js';
import type { BucketEntry } from './s3/commands/list-buckets.js';
import type { UploadEntry } from './s3/commands/multipart.js';
import type { Digests } from './s3/digests.js';
import { validatePlace as at, validateStoreOptions } from './validate.js';
import type { CopyOptions, CopySettings } from './copy/copy.js';
import type { DownloadOptions } from './download/download.js';
import { listAllBuckets, list } from './list/list-objects.js';
import type { Listed } from './list/list-objects.js';
import type { ReadOptions } from './download/read-object.js';
import type { RemoveOptions } from './delete/delete-objects.js';
import type { syncDown, syncUp } from './sync/sync.js';
import { upload } from './upload/upload.js';
import { abortUnfinished, listUnfinished } from './upload/unfinished-uploads.js';
import type { EndUnfinishedOptions } from './upload/unfinished-uploads.js';
import type { UploadOptions } from './upload/upload.js';
import { UploadSession } from './upload/upload-session.js';
import type { UploadSessionOptions } from './upload/upload-session.js';
import type { VerifyOptions } from './verify/verify.js';
import { Store } from './s3/object-store.js';
import type { Place, SourceFile, Summary, Target } from './types.js';
import type { Wire } from './http/http-client.js';

export interface BulkOptions extends Omit<StoreOptions, 'wire' | 'digests'> {
  /** Another carrier of requests; by default that of the platform. */
  wire?: Wire;
}

/**
 * Moves files in bulk between here and an S3-compatible store. Every method tells its outcome in a `Summary`.
 * @throws S3Error `InvalidOption`, before anything is asked of the store
 */
export interface BulkTransfer {
  readonly store: Store;
  /** Files below a prefix; with `exact`, one file to the very key. */
  upload(
    source: AsyncIterable<SourceFile> | Iterable<SourceFile>,
    to: Place,
    options?: UploadOptions & { exact?: boolean },
  ): Promise<Summary>;
  /** For files that come one by one, such as from a list that people add to, pause and retry. */
  uploadSession(to: Place, options?: UploadSessionOptions): UploadSession;
  download(from: Place, target: Target, options?: DownloadOptions): Promise<Summary>;
  /** The one object of that key, as `path` in the target. An empty one whose key ends in a slash marks a folder, and fails. */
  downloadExact(from: Place, target: Target, path: string, options?: DownloadOptions): Promise<Summary>;
  copy(from: Place, to: Place, options?: CopyOptions): Promise<Summary>;
  syncUp(source: SortedSource, to: Place, options?: Parameters<typeof syncUp>[3]): Promise<Summary>;
  syncDown(from: Place, target: Target, existing: SortedSource, options?: Parameters<typeof syncDown>[4]): Promise<Summary>;
  syncWithin(from: Place, to: Place, options?: SyncOptions & CopySettings): Promise<Summary>;
  verify(source: SortedSource, place: Place, options?: VerifyOptions): Promise<Summary>;
  list(place: Place, options?: RunOptions & { delimiter?: string }): AsyncGenerator<Listed>;
  buckets(options?: RunOptions): Promise<BucketEntry[]>;
  /**
   * Makes a bucket in the region of the store.
   * @returns false where the store says that it was there and is ours; in the first region of AWS, and in some others, it says nothing of the kind
   * @throws S3Error `BucketAlreadyExists` where it is another's
   */
  makeBucket(bucket: string, options?: RunOptions): Promise<boolean>;
  /** Removes a bucket that is empty. @throws S3Error `BucketNotEmpty`, `NoSuchBucket` */
  removeBucket(bucket: string, options?: RunOptions): Promise<void>;
  /** Uploads in parts that were begun under a prefix and not ended. */
  unfinished(place: Place, options?: RunOptions): AsyncGenerator<UploadEntry>;
  endUnfinished(place: Place, options?: EndUnfinishedOptions): Promise<Summary>;
  delete(place: Place, options?: RemoveOptions): Promise<Summary>;
  /** The bytes of one object, in order. */
  read(from: Place, options?: ReadOptions): AsyncGenerator<Uint8Array>;
  /** Closes idle connections; those in use end their request first. What is asked for afterwards has a connection for each request. */
  close(): void;
}

/** What the platforms differ in. */
export interface Platform {
  wire: Wire;
  digests: Digests;
}

// A page that uploads need not load what it does not call.
const downloads = () => import('./download/download.js');
const syncs = () => import('./sync/sync.js');

async function* read(store: Store, from: Place, options: ReadOptions): AsyncGenerator<Uint8Array> {
  yield* (await import('./download/read-object.js')).readObject(store, from, options);
}

/** @throws S3Error `InvalidOption` */
export function makeBulkTransfer(options: BulkOptions, platform: () => Platform): BulkTransfer {
  const store = new Store({ ...validateStoreOptions(options), ...platform() });
  return {
    store,
    upload: async (source, to, more = {}) => upload(store, source, at(to), more),
    uploadSession: (to, more) => new UploadSession(store, at(to), more),
    download: async (from, target, more = {}) => (await downloads()).download(store, at(from), target, more),
    downloadExact: async (from, target, path, more = {}) =>
      (await downloads()).downloadExact(store, at(from), target, path, more),
    copy: async (from, to, more = {}) => (await import('./copy/copy.js')).copyWithin(store, at(from), at(to), more),
    syncUp: async (source, to, more = {}) => (await syncs()).syncUp(store, source, at(to), more),
    syncDown: async (from, target, existing, more = {}) => (await syncs()).syncDown(store, at(from), target, existing, more),
    syncWithin: async (from, to, more = {}) => (await syncs()).syncWithin(store, at(from), at(to), more),
    verify: async (source, place, more = {}) => (await import('./verify/verify.js')).verify(store, source, at(place), more),
    read: (from, more = {}) => read(store, at(from), more),
    list: (place, more) => list(store, at(place), more),
    buckets: (more) => listAllBuckets(store, more),
    makeBucket: async (bucket, more) =>
      (await import('./buckets/make-bucket.js')).makeBucket(store, at({ bucket, prefix: '' }).bucket, more),
    removeBucket: async (bucket, more) =>
      (await import('./buckets/remove-bucket.js')).removeBucket(store, at({ bucket, prefix: '' }).bucket, more),
    unfinished: (place, more) => listUnfinished(store, at(place), more),
    endUnfinished: async (place, more) => abortUnfinished(store, at(place), more),
    delete: async (place, more) => (await import('./delete/delete-objects.js')).deleteObjectsAt(store, at(place), more),
    close: () => store.wire.close(),
  };
}
