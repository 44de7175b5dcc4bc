import type { BlobError } from '../protocol/errors.js';
import type { Transport } from '../protocol/transport.js';
import type { ChosenFile, FileRecord, StoredFile, SuppliedToken } from '../protocol/types.js';
import type { RetryPolicy } from './retry-delay.js';

/** What the queue and the element agree on. The queue is headless: it knows no DOM beyond File, XHR and online/offline. */

/** Why a file was not taken; text comes from the locale, never from the rule. */
export type RejectCode =
  | 'BLOCKED_FILE_TYPE'
  | 'BLOB_FILE_TOO_LARGE'
  | 'EMPTY_FILE'
  | 'TOO_MANY_FILES'
  | 'TOTAL_TOO_LARGE'
  | 'DUPLICATE_FILE'
  | 'CONTENT_MISMATCH';

export interface Rejection {
  code: RejectCode;
  /** The numbers or names a message needs: `{max_size}`, `{allowed_extensions}`, `{max_files}` … */
  details: Readonly<Record<string, unknown>>;
}

/** How a photo was made ready before it came into the queue. */
export interface Preparation {
  /** The page's settings for photos, as text. */
  settings: string;
  /** Whether the bytes differ from those of the file on disk. */
  isChanged: boolean;
}

/** A file with its place in a folder, and why it is refused if that was found out before. */
export interface Chosen {
  file: File;
  relativePath: string;
  /** Absent where the page asks for no change of photos. */
  preparation?: Preparation;
  rejection?: Rejection;
  /** Why it could not be made ready. It is listed as failed and never sent as it is; asked for again it comes back by `again`. */
  unready?: BlobError;
  /** A folder that could not be opened; `file` has nothing but its name and is shown to nobody. */
  folder?: FileSystemEntry;
}

/** One file's life. Only the queue changes it, in one place; every change is one `change` event. */
export type UploadState =
  | { readonly status: 'queued' }
  /** A token is being fetched, or the request is on its way. `sent` counts bytes of the file and never runs backwards. */
  | {
      readonly status: 'uploading';
      readonly phase: 'token' | 'sending' | 'finishing';
      readonly sent: number;
      readonly attempt: number;
    }
  /** Between two tries, or offline. `retryAt` is a `Date.now()` time; null while offline. */
  | {
      readonly status: 'waiting';
      readonly sent: number;
      readonly attempt: number;
      readonly retryAt: number | null;
      readonly error: BlobError;
    }
  | { readonly status: 'paused'; readonly sent: number }
  | { readonly status: 'done'; readonly file: FileRecord }
  | { readonly status: 'failed'; readonly error: BlobError; readonly retryable: boolean }
  | { readonly status: 'rejected'; readonly rejection: Rejection };

export interface UploadItem {
  /** Stable within one queue. */
  readonly id: string;
  /** Null for an upload restored from form state: it is `done` and has no bytes here. */
  readonly file: File | null;
  readonly name: string;
  readonly size: number;
  readonly type: string;
  /** `folder/sub/name` for a file of a dropped or picked folder, else ''. */
  readonly relativePath: string;
  readonly state: UploadState;
}

/** Why a token is asked for. */
export type TokenReason = 'start' | 'expiring' | 'exhausted' | 'invalid' | 'retry';

export interface TokenRequest {
  files: readonly ChosenFile[];
  reason: TokenReason;
  signal: AbortSignal;
}

/** The page's way to a token: `tokenProvider`, `token-endpoint` or the `token` attribute, all in this one shape. */
export type TokenProvider = (request: TokenRequest) => Promise<string | SuppliedToken>;

export interface Limits {
  /** Bytes; null: none. */
  maxSize: number | null;
  /** Normalised (`pdf`, `tar.gz`); null: every one. */
  allowedExtensions: readonly string[] | null;
  /** Entries of the `accept` attribute, lower case (`image/*`, `application/pdf`, `.png`); one that fits is enough. Refused as `BLOCKED_FILE_TYPE`. */
  accept?: readonly string[] | null;
  maxFiles: number | null;
  maxTotalSize: number | null;
  /** Takes files of 0 bytes. */
  allowEmpty: boolean;
}

export interface QueueOptions {
  /** Base address of Blob Storage without `/v1`; a grant's `url` wins over ''. */
  endpoint: string;
  /** Why nothing may be sent, such as an unusable setting of the page: started files fail with it. They go again once it is null. */
  problem: BlobError | null;
  tokenProvider: TokenProvider;
  /** Carries the files instead; then no token is asked for. */
  transport: Transport | null;
  limits: Limits;
  /** Requests at once; default 6 (HTTP/1.1 browsers open no more to one host). */
  concurrency: number;
  /** Upload begins only with `start()`. */
  manual: boolean;
  /** Files of at least this many bytes go resumably (tus). */
  resumableFrom: number;
  /** Files of at most this many bytes travel together (`POST /v1/files/batch`); 0 turns it off. */
  batchUpTo: number;
  /** Compare the service's SHA-256 with one computed off the main thread. */
  verify: boolean;
  /** Compare a file's first bytes with its extension before it is sent (`CONTENT_MISMATCH`). */
  sniff: boolean;
  /** Ask before the page is left, and keep the screen awake, while something is in flight; default true. */
  guard: boolean;
  /** Milliseconds without a byte after which a request is ended and tried again; default 30 s. Never a limit on the whole. */
  stallAfter: number;
  /** How often and after what time a failed try is repeated. */
  retry: RetryPolicy;
}

/** Sums kept as files change, so that reading them is O(1). */
export interface Totals {
  files: number;
  queued: number;
  active: number;
  done: number;
  failed: number;
  /** Without what was in the list already. */
  rejected: number;
  /** Bytes of all files that count (not rejected), and how many of them are sent. */
  bytes: number;
  sent: number;
  /** Bytes a second over the last seconds; null before there is enough to tell. */
  speed: number | null;
  /** Seconds left, by the bytes and the number of files; null when unknown. */
  secondsLeft: number | null;
}

export interface QueueEventMap {
  add: { item: UploadItem };
  /** `previous` is the state before. Progress of a file is a change too. */
  change: { item: UploadItem; previous: UploadState };
  remove: { item: UploadItem };
  retry: { item: UploadItem; error: BlobError; attempt: number };
  /** What could not be made ready is asked for once more. It is off the list until it is added anew. */
  again: { chosen: readonly Chosen[] };
  stall: { item: UploadItem };
  /** Nothing is queued or in flight any more. */
  complete: { successful: UploadItem[]; failed: UploadItem[] };
  /** Limits learned from a token, offline/online, paused/resumed. */
  status: { online: boolean; paused: boolean; limits: Limits };
}

/** The headless queue behind the element. Holds the thousands; Uppy sees only the window in flight. */
export interface UploadQueue {
  readonly size: number;
  readonly totals: Readonly<Totals>;
  readonly online: boolean;
  readonly paused: boolean;
  /** In order of adding; stable indices until a removal. */
  readonly items: readonly UploadItem[];
  get(id: string): UploadItem | undefined;
  configure(options: Partial<QueueOptions>): void;
  /**
   * Judges and queues files at once; rejected ones become items with the status `rejected`. One that failed before is replaced by
   * its like. With `replace` the first that is taken stands in for all that are there.
   */
  add(files: Iterable<File | Chosen>, replace?: boolean): UploadItem[];
  /** Puts back finished uploads (form restore). */
  restore(files: readonly StoredFile[]): UploadItem[];
  start(): void;
  pause(): void;
  resume(): void;
  /** Failed files, or one of them, go again; those that wait for a later try go now. */
  retry(id?: string): void;
  /** Aborts what is in flight and removes the item (or all unfinished ones). A stored file stays stored. */
  cancel(id?: string): void;
  /** Removes everything, aborting what is in flight. */
  clear(): void;
  /** Removes what was refused. */
  dismiss(): void;
  /** Puts a file at another place of the list, counted from 0. What is in flight stays so. */
  move(id: string, to: number): void;
  on<K extends keyof QueueEventMap>(type: K, listener: (event: QueueEventMap[K]) => void): () => void;
  destroy(): void;
}
