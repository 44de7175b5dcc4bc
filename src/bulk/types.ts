/**
 * Public types of the bulk engine. Sizes and positions are bytes. Times end in their unit: `…Ms` milliseconds and `…Ns`
 * nanoseconds (bigint) since 1970.
 */

import type { Action, Failure, S3Error } from './errors.js';

export type { Action, Failure, Summary } from './errors.js';

/** Key pair that signs requests. */
export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  /** Token of temporary credentials. @default none */
  sessionToken?: string;
  /** End of the key pair. The provider is called again 5 minutes before it. @default the pair does not expire */
  expiration?: Date;
}

/** Returns a key pair. Called before the first request, before the pair expires, and once if the store refuses the pair. */
export type CredentialProvider = () => Promise<Credentials>;

/** A set of objects: all whose key begins with `prefix`. Methods for one object take `prefix` as its key. */
export interface Place {
  bucket: string;
  /** Beginning of the keys, without a leading slash. Empty for the whole bucket. */
  prefix: string;
}

/** Reads the bytes of one open file at any position. Methods may return their result without a promise. */
export interface SourceReader {
  size: number;
  /** Modification time. @default unknown */
  mtimeNs?: bigint;
  /** Type and permissions as in POSIX. @default unknown */
  mode?: number;
  /** Fills `into` with the bytes from `position`. @returns bytes read; fewer than `into` holds only at the end of the file */
  read(position: number, into: Uint8Array): number | Promise<number>;
  /** Returns a range of the bytes without loading it. A page sends such a Blob without holding its bytes in memory. */
  blob?(position: number, size: number): Blob;
  /**
   * Text that changes at least whenever the bytes change. Set it if the platform knows more than the modification time.
   * @default the modification time identifies the bytes
   */
  version?: string;
  /** Returns whether the file was written to since it was opened. */
  changed(): boolean | Promise<boolean>;
  /** The platform does not report changes, so sent parts are compared with a second reading. @default false */
  unwatched?: boolean;
  close(): void;
}

/** One file, stream or empty directory to upload. */
export interface SourceFile {
  /** Path relative to the prefix. Segments are separated by `/` on every platform. */
  path: string;
  /** Bytes. `null` for a stream of unknown length; then `stream` is set. @default known when the file is opened */
  size?: number | null;
  /** Modification time. @default unknown */
  mtimeNs?: bigint;
  /** Type and permissions as in POSIX. @default unknown */
  mode?: number;
  /** Marks an empty directory. It is stored as an empty object whose key ends in a slash. */
  directory?: true;
  /** The source yields no path twice, so paths need not be remembered. */
  unique?: true;
  /** The file was found through a link to a directory. A sync that deletes keeps it, because it may lie anywhere. */
  linked?: true;
  /** The file is the rest of an interrupted download, unchanged for a week. A sync that deletes removes it. */
  leftOver?: true;
  /** The entry is a link that is left out. A sync keeps the items with this name or below it on the other side. */
  skippedLink?: true;
  /** Returns a digest of a sample of the bytes. Set it if two files may have the same name, size and date, as in a page. */
  sample?(): Promise<string>;
  /**
   * The bytes were made from another file with the same date, as by a resize. Neither the journal nor the store can recognize
   * the file by its date.
   */
  derived?: true;
  /** Error that prevents reading. The file counts as failed. */
  problem?: S3Error;
  /** Opens the file. Not called for directories and streams. */
  open?(): SourceReader | Promise<SourceReader>;
  /**
   * Returns the bytes in order.
   * @param signal aborts when no more bytes are wanted
   */
  stream?(signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** Expected length of a stream in bytes. Sets the size of its parts. @default 0, unknown */
  expectedSize?: number;
  /** Opens storage for parts of a stream that are too large for memory. @default parts are held in memory */
  spool?(): Spool;
}

/** Returns a local tree in the order of keys. Called again for each pass. */
export type SortedSource = () => AsyncIterable<SourceFile> | Iterable<SourceFile>;

/** Temporary storage of one part. Bytes are written once and read for every attempt to send them. */
export interface Spool {
  write(position: number, bytes: Uint8Array): void | Promise<void>;
  /** Fills `into` with the bytes from `position`. @returns bytes read; fewer than `into` holds only at the end */
  read(position: number, into: Uint8Array): number | Promise<number>;
  close(): void;
}

/** One object of a listing. */
export interface ObjectEntry {
  key: string;
  size: number;
  /** ETag without quotes. */
  etag: string;
  lastModifiedMs: number;
  storageClass?: string;
  /** Target of a website redirect. Listings do not contain it; it is set for objects that were requested one by one. */
  websiteRedirect?: string;
}

/** Attributes of a downloaded file. */
export interface FileFacts {
  size: number;
  /** Modification time to set. @default the time of writing */
  mtimeNs?: bigint;
  /** Permissions from the metadata of the object. Anyone who may store the object can choose them. @default the defaults of the platform */
  mode?: number;
  /** Applies all permissions of `mode`. Otherwise `mode` can only take permissions away. @default false */
  preserveMode?: boolean;
  /** Never replaces an existing file. @default false */
  onlyNew?: boolean;
}

/** One file that a download writes. It is committed or discarded once, when no write is running. */
export interface TargetFile {
  /** Writes bytes. `chunk` is valid until the call returns or its promise settles. */
  write(position: number, chunk: Uint8Array): void | Promise<void>;
  /** Reads bytes that were written before, also by an earlier run. @returns bytes read */
  read?(position: number, into: Uint8Array): number | Promise<number>;
  /**
   * Gives the complete file its name and attributes.
   * @returns the modification time that the file has now
   * @throws S3Error `PreconditionFailed` if `onlyNew` is set and a file exists
   */
  commit(facts: FileFacts): bigint | Promise<bigint>;
  /** Closes the file. @param keep leaves the bytes for a later run to resume; otherwise they are removed */
  discard(keep: boolean): void | Promise<void>;
}

/** Destination of a download. Paths are relative and safe, and their segments are separated by `/`. */
export interface Target {
  /**
   * Opens a file to write to.
   * @param resume keeps the bytes of an earlier run
   * @param own id of the resumable download. Another run that writes to the same path has another id and gets another file.
   */
  open(path: string, resume: boolean, own?: string): TargetFile | Promise<TargetFile>;
  /**
   * Writes a small file in one call. `bytes` come from `memory` and are valid until the promise settles.
   * Without this method, small files are written as large ones are: by `open`, `write` and `commit`.
   */
  make?(path: string, bytes: Uint8Array, facts: FileFacts): bigint | Promise<bigint>;
  /** Removes the bytes that `open` with `resume` would continue. */
  forget?(path: string, own?: string): void | Promise<void>;
  makeDirectory(path: string): void | Promise<void>;
  /** Removes a file or an empty directory. Used by `sync` with `delete`. */
  remove(path: string): void | Promise<void>;
  exists(path: string): boolean | Promise<boolean>;
  /** Checks whether a file can be created at a path. Used in dry runs and before large downloads. @throws S3Error `NameTaken` */
  look?(path: string): void | Promise<void>;
  /**
   * Claims the existing file at a path for its key. On a disk that ignores case, two keys may map to one file name. The second one
   * then fails here or when its file is created.
   * @throws S3Error `NameTaken`
   */
  keep?(path: string): void | Promise<void>;
  /** Returns whether the existing file at a path has another name: the disk ignores case. */
  isOther?(path: string): boolean | Promise<boolean>;
  /** Returns whether a directory exists at a path. */
  isFolder?(path: string): boolean | Promise<boolean>;
  /**
   * Removes a directory so that a file can replace it. Used by `sync` with `delete`.
   * @param files the only files that the directory may hold, besides directories
   * @param dryRun only checks the contents
   * @returns false if the directory holds more; then nothing is removed
   */
  clear?(path: string, files: ReadonlySet<string>, dryRun: boolean): boolean | Promise<boolean>;
  /** Allocates the memory that is passed to `write` and `make`. @default memory of this thread */
  memory?(bytes: number): Uint8Array;
  /** Returns whether a path lies on the same disk as the target as a whole. A full disk then ends the transfer. @default true */
  isOnDisk?(path: string): boolean;
  /**
   * Returns the size and time that identify the version of a file; undefined if there is no file. Without this method, a resumed
   * run downloads existing files again.
   */
  stat?(path: string): { size: number; mtimeNs: bigint } | undefined | Promise<{ size: number; mtimeNs: bigint } | undefined>;
  /** Returns why no file can have this path, beyond the rules that apply to all targets. @default every path is possible */
  refuses?(path: string): string | undefined;
}

/** Properties that are stored with an object. Values are printable ASCII, because they are sent as headers. */
export interface ObjectProperties {
  /** Media type, such as `image/png`. */
  contentType?: string;
  cacheControl?: string;
  contentDisposition?: string;
  contentEncoding?: string;
  contentLanguage?: string;
  /** Value of the `Expires` header, usually an HTTP date. */
  expires?: string;
  /** Target of a website redirect. */
  websiteRedirect?: string;
  storageClass?: string;
  /** Canned ACL of the store, such as `public-read`. */
  acl?: string;
  /** Encryption by the store: `AES256`, `aws:kms`, … */
  sse?: string;
  /** Id of the KMS key. */
  sseKmsKeyId?: string;
  /** Tags as `name=value&name=value`, encoded as in a form. */
  tags?: string;
  /** User metadata by name, without `x-amz-meta-`. */
  metadata?: Record<string, string>;
}

/** Event of a running transfer. */
export type TransferEvent =
  | { type: 'done'; action: Action; name: string; size: number; dryRun?: true }
  | { type: 'skipped'; action: Action; name: string; reason: string }
  /** The rest of an interrupted download that this run does not continue. */
  | { type: 'leftover'; name: string; size: number }
  /** The store cannot be reached. The transfer waits for it (`RetryOptions.patience`). */
  | { type: 'waiting'; code: string; message: string }
  /** The journal could not be written completely. The next run repeats what this one did. */
  | { type: 'journal-error'; code: string; message: string; advice: string }
  /** A request failed and is repeated after `delayMs`. */
  | { type: 'retry'; name: string; code: string; message: string; tries: number; delayMs: number }
  | ({ type: 'failed' } & Failure);

/** A large file in progress. */
export interface ActiveFile {
  name: string;
  /** Bytes that have moved. */
  bytes: number;
  /** Bytes in total; undefined for a stream. */
  size: number | undefined;
  /** Average of the last seconds. 0 in the first two seconds. */
  bytesPerSecond: number;
}

/** State of a running transfer. */
export interface Progress {
  /** Completed files. */
  files: number;
  /** Bytes that have moved. */
  bytes: number;
  skipped: number;
  failed: number;
  /** Files known so far. The number grows until `planned` is true. */
  totalFiles: number;
  /** Bytes of the files known so far. */
  totalBytes: number;
  /** Whether the source has been read to its end, so that the totals are final. */
  planned: boolean;
  bytesPerSecond: number;
  filesPerSecond: number;
  /** Seconds left at the present speed; undefined while unknown. */
  secondsLeft: number | undefined;
  /** Present limit of parallel requests. */
  concurrency: number;
  /** Files of at least 8 MiB in progress. */
  active: ActiveFile[];
  elapsedMs: number;
}
