/**
 * The public shapes of the bulk adapter. Sizes are bytes. Times end in their unit: `…Ms` milliseconds and `…Ns`
 * nanoseconds (bigint) since 1970.
 */

import type { Action, Failure, S3Error } from './errors.js';

export type { Action, Failure, Summary } from './errors.js';

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  /** After this the provider is asked again. */
  expiration?: Date;
}

export type CredentialProvider = () => Promise<Credentials>;

/** Where objects lie: all whose key begins with `prefix`, or the one object whose key it is. */
export interface Place {
  bucket: string;
  /** May be empty; never begins with a slash of its own. */
  prefix: string;
}

/** Random access to the bytes of one opened file. Methods may return their result without a promise. */
export interface SourceReader {
  size: number;
  mtimeNs?: bigint;
  /** As POSIX has it, type and permissions. */
  mode?: number;
  /** Fills `into` from `position`. @returns bytes read; fewer than asked only at the end of the file. */
  read(position: number, into: Uint8Array): number | Promise<number>;
  /** The same bytes as the platform holds them, where it does: they are then sent without passing through the page's memory. */
  blob?(position: number, size: number): Blob;
  /**
   * Changes whenever the bytes change, and perhaps more often. Set it if the platform tells more than the modification time.
   */
  version?: string;
  /** Whether the file was written to since it was opened. */
  changed(): boolean | Promise<boolean>;
  /** The platform does not report changes. Sent parts are then compared with a second reading. */
  unwatched?: boolean;
  close(): void;
}

/** One thing to upload. `path` is relative, with `/` between segments whatever the system writes. */
export interface SourceFile {
  path: string;
  /** `undefined`: known when opened; `null`: a stream whose length nobody knows (then `stream` is set). */
  size?: number | null;
  mtimeNs?: bigint;
  mode?: number;
  /** An empty directory: stored as an empty object whose key ends in a slash. */
  directory?: true;
  /** The source promises that it yields no path twice, so that nobody need remember them all. */
  unique?: true;
  /** It was found through a link to a directory: it may lie anywhere, and a sync that deletes spares it. */
  linked?: true;
  /** It is what a download left that was cut short, and nothing wrote to for a week: no file of anybody's. A sync that deletes drops it. */
  leftOver?: true;
  /** It is a link that is left out: a sync moves nothing for it, and spares what has its name on the other side, or lies below that. */
  skippedLink?: true;
  /** Takes a digest of a sample of the bytes. Set where size and date do not tell two files apart, as in a page. */
  sample?(): Promise<string>;
  /** The bytes were made from those of another file with the same date, so that neither a journal nor the store can tell them by it. */
  derived?: true;
  /** Why it cannot be read; it counts as failed. */
  problem?: S3Error;
  open?(): SourceReader | Promise<SourceReader>;
  /** The bytes, until `signal`: whoever writes them may never say another word. */
  stream?(signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** For a stream: expected length in bytes. It sets the part size. */
  expectedSize?: number;
  /** For a stream: opens storage for parts that are too large for memory. @default parts are held in memory */
  spool?(): Spool;
}

/** A local tree in the order of keys. It can be read more than once. */
export type SortedSource = () => AsyncIterable<SourceFile> | Iterable<SourceFile>;

/** Bytes that are written once, and read as often as they have to be sent. */
export interface Spool {
  write(position: number, bytes: Uint8Array): void | Promise<void>;
  /** Fills `into` from `position`. @returns bytes read; fewer than asked only at the end. */
  read(position: number, into: Uint8Array): number | Promise<number>;
  close(): void;
}

/** One object as a listing tells it. */
export interface ObjectEntry {
  key: string;
  size: number;
  /** Without quotes. */
  etag: string;
  lastModifiedMs: number;
  storageClass?: string;
  /** No listing tells it: of objects that were asked for one by one. */
  websiteRedirect?: string;
}

/** With what a file appears. */
export interface FileFacts {
  size: number;
  mtimeNs?: bigint;
  /** Permissions from the object's metadata. Anyone who may store the object chose them. */
  mode?: number;
  /** Applies all permissions of `mode`. Otherwise `mode` can only take permissions away. @default false */
  preserveMode?: boolean;
  /** Not over one that is there. */
  onlyNew?: boolean;
}

/** One file being written by a download. It is committed or discarded, once, when no write is under way. */
export interface TargetFile {
  /** `chunk` is valid until the call ends or the promise it answers with settles. */
  write(position: number, chunk: Uint8Array): void | Promise<void>;
  /** Reads back what a former run wrote. @returns bytes read. */
  read?(position: number, into: Uint8Array): number | Promise<number>;
  /**
   * Makes the file appear under its name, whole. @returns its modification time as it came to be.
   * @throws S3Error `PreconditionFailed`
   */
  commit(facts: FileFacts): bigint | Promise<bigint>;
  /** Drops what was written, unless `keep` is set and a later run may go on with it. */
  discard(keep: boolean): void | Promise<void>;
}

/** Where a download goes. `path` is relative, safe and `/`-separated. */
export interface Target {
  /**
   * @param resume keep what an earlier run wrote
   * @param own of what a later run may go on with: no other run says the same, so none that writes to the same path gets hold of it
   */
  open(path: string, resume: boolean, own?: string): TargetFile | Promise<TargetFile>;
  /**
   * A small file in one go: what `open`, `write` and `commit` make of it. `bytes` are of `memory`, and valid until the promise settles.
   * Without it, small files are made as large ones are.
   */
  make?(path: string, bytes: Uint8Array, facts: FileFacts): bigint | Promise<bigint>;
  /** Drops what `open` would go on with: nobody will. */
  forget?(path: string, own?: string): void | Promise<void>;
  makeDirectory(path: string): void | Promise<void>;
  /** Removes a file or an empty directory; used by `sync` with `delete`. */
  remove(path: string): void | Promise<void>;
  exists(path: string): boolean | Promise<boolean>;
  /** Whether a file can come there, for dry runs, and before what is large is fetched. @throws S3Error `NameTaken` */
  look?(path: string): void | Promise<void>;
  /**
   * What stands there is that of a key, and stays. Two keys may be one name for a disk that tells no capitals: then the second fails, here or
   * when its file is to be made. @throws S3Error `NameTaken`
   */
  keep?(path: string): void | Promise<void>;
  /** Whether a file stands there that has another name, on such a disk. */
  isOther?(path: string): boolean | Promise<boolean>;
  /** Whether a directory stands there. */
  isFolder?(path: string): boolean | Promise<boolean>;
  /**
   * Removes a directory that holds these files, and nothing else but directories, for a file to stand there; used by `sync` with `delete`.
   * A dry run only looks. @returns false where it holds more; then nothing is gone
   */
  clear?(path: string, files: ReadonlySet<string>, dryRun: boolean): boolean | Promise<boolean>;
  /** Memory of so many bytes, of which the pieces are cut that `write` and `make` get. @default memory of this thread */
  memory?(bytes: number): Uint8Array;
  /** Whether a path lies on the disk on which the whole does: then what fills that disk ends the run. @default yes */
  isOnDisk?(path: string): boolean;
  /**
   * Returns the size and time that tell versions of a file apart; undefined if there is no file. Without this method a resumed
   * run trusts no file.
   */
  stat?(path: string): { size: number; mtimeNs: bigint } | undefined | Promise<{ size: number; mtimeNs: bigint } | undefined>;
  /** Why a path cannot be a file here, beyond the rules of `localPath`. */
  refuses?(path: string): string | undefined;
}

/** Properties given to every object of an upload: printable ASCII, as headers are. */
export interface ObjectProperties {
  contentType?: string;
  cacheControl?: string;
  contentDisposition?: string;
  contentEncoding?: string;
  contentLanguage?: string;
  /** An HTTP date, or whatever else an object was given in its place. */
  expires?: string;
  websiteRedirect?: string;
  storageClass?: string;
  /** One of the store's ready rules of access, such as `public-read`. */
  acl?: string;
  /** How the store encrypts: `AES256`, `aws:kms`, … */
  sse?: string;
  sseKmsKeyId?: string;
  /** `name=value&name=value`, each part encoded as in a form. */
  tags?: string;
  metadata?: Record<string, string>;
}

export type TransferEvent =
  | { type: 'done'; action: Action; name: string; size: number; dryRun?: true }
  | { type: 'skipped'; action: Action; name: string; reason: string }
  | { type: 'leftover'; name: string; size: number }
  | { type: 'waiting'; code: string; message: string }
  /** The journal could not be written to the end: a next run asks again for what this one did. */
  | { type: 'journal-error'; code: string; message: string; advice: string }
  | { type: 'retry'; name: string; code: string; message: string; tries: number; delayMs: number }
  | ({ type: 'failed' } & Failure);

export interface ActiveFile {
  name: string;
  bytes: number;
  size: number | undefined;
  /** Average of the last seconds. 0 in the first two. */
  bytesPerSecond: number;
}

export interface Progress {
  files: number;
  bytes: number;
  skipped: number;
  failed: number;
  /** Files known so far. It grows until `planned`. */
  totalFiles: number;
  totalBytes: number;
  /** The source has been read to its end: the totals are final. */
  planned: boolean;
  bytesPerSecond: number;
  filesPerSecond: number;
  /** Seconds left at the present speed; undefined while unknown. */
  secondsLeft: number | undefined;
  concurrency: number;
  /** Files in flight that are worth a line of their own (8 MiB and more). */
  active: ActiveFile[];
  elapsedMs: number;
}
