import type { BlobError } from '../protocol/errors.js';
import type { Transport } from '../protocol/transport.js';
import type { ChosenFile, FileRecord, StoredFile, SuppliedToken } from '../protocol/types.js';
import type { RetryPolicy } from './retry-policy.js';

// The interface between the queue and the element. The queue is headless: it uses no DOM but File, XHR and the online and offline events.

/** Reason for a rejection. The locale has the text. */
export type RejectCode =
  | 'BLOCKED_FILE_TYPE'
  | 'BLOB_FILE_TOO_LARGE'
  | 'EMPTY_FILE'
  | 'TOO_MANY_FILES'
  | 'TOTAL_TOO_LARGE'
  | 'DUPLICATE_FILE'
  | 'CONTENT_MISMATCH';

/** Reason for a rejection, with the values of its message. */
export interface Rejection {
  code: RejectCode;
  /** Values for the message: `{max_size}`, `{allowed_extensions}`, `{max_files}` … */
  details: Readonly<Record<string, unknown>>;
}

/** Preparation of a photo before it was added to the queue. */
export interface Preparation {
  /** The page's settings for photos, as text. */
  settings: string;
  /** Whether the bytes differ from those of the file on disk. */
  isChanged: boolean;
  /** The file as it was chosen. */
  original?: File;
}

/** A chosen file with its path in a folder. */
export interface Chosen {
  file: File;
  relativePath: string;
  /** Absent if the page asks for no change of photos. */
  preparation?: Preparation;
  /** Reason for a rejection that is known before the file is added. */
  rejection?: Rejection;
  /** Error of a file that could not be prepared. It is listed as failed and never sent. A retry emits `prepare-again`. */
  preparationError?: BlobError;
  /** A folder that could not be opened. `file` only has its name and is not shown. */
  folder?: FileSystemEntry;
  /** Address from which the service fetches the file. `file` only has its name and is not shown. */
  url?: string;
}

/** The state of a file. Each change emits one `change` event. */
export type UploadState =
  | { readonly status: 'queued' }
  /** A token is requested, or the file is sent. `sent` counts bytes of the file and never decreases. */
  | {
      readonly status: 'uploading';
      readonly phase: 'token' | 'sending' | 'finishing';
      readonly sent: number;
      readonly attempt: number;
    }
  /** The file waits for its next attempt. `retryAt` is a `Date.now()` time; null while offline. */
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

/** A file in the list. */
export interface UploadItem {
  /** Stable within one queue. */
  readonly id: string;
  /** Null for a file whose bytes are not in the page: it is restored from form state, or the service fetches it. */
  readonly file: File | null;
  /** Address from which the service fetches the file; undefined for a file of this device, and for a restored one. */
  readonly url?: string | undefined;
  readonly name: string;
  /** Bytes; 0 while `isSizeUnknown`. */
  readonly size: number;
  /** The service fetches the file and does not know its size yet. */
  readonly isSizeUnknown?: boolean;
  readonly type: string;
  /** `folder/sub/name` for a file of a dropped or picked folder, else ''. */
  readonly relativePath: string;
  readonly state: UploadState;
  /** Metadata that is sent with the file: the filled-in fields. Absent before its upload starts, and without any. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Error of the last attempt, from its failure until the next attempt gets further; absent otherwise. Offline it is absent. */
  readonly retriedError?: BlobError | undefined;
  /** The stored file whose place this one takes once it is stored. Until then, the other one stays in the form. */
  readonly replaced?: UploadItem | undefined;
  /** The service is asked to delete the stored file, or did not delete it. Undefined otherwise. */
  readonly deletion?: 'running' | BlobError | undefined;
}

/** Reason for a token request. */
export type TokenReason = 'start' | 'expiring' | 'exhausted' | 'invalid' | 'retry';

/** Request for a token that can carry the listed files. Its signal aborts when no file needs the token any more. */
export interface TokenRequest {
  files: readonly ChosenFile[];
  reason: TokenReason;
  signal: AbortSignal;
}

/** Supplies a token: by `tokenProvider`, `token-endpoint` or the `token` attribute. */
export type TokenProvider = (request: TokenRequest) => Promise<string | SuppliedToken>;

/** Limits for the files of a list. */
export interface Limits {
  /** Largest file in bytes; null: no limit. */
  maxSize: number | null;
  /** Allowed extensions in normal form (`pdf`, `tar.gz`); null: all. */
  allowedExtensions: readonly string[] | null;
  /** Entries of the `accept` attribute in lower case (`image/*`, `application/pdf`, `.png`). One of them must fit, else `BLOCKED_FILE_TYPE`. */
  accept?: readonly string[] | null;
  maxFiles: number | null;
  maxTotalSize: number | null;
  /** Allows files of 0 bytes. */
  allowEmpty: boolean;
  /** Whether the token lets the service fetch files from URLs; absent while it is unknown. */
  allowFetch?: boolean;
}

/** Fields that a person fills in for each file. The queue holds a file until its fields are completed. */
export interface FieldSource {
  /** The upload is started: completes the files whose required fields are filled in. */
  complete(): void;
  /** Returns the metadata of a completed file, and null for a file that is held. */
  metadataOf(item: UploadItem): Readonly<Record<string, string>> | null;
}

/** Options of the queue. `configure` changes them at any time. */
export interface QueueOptions {
  /** Base address of Blob Storage without `/v1`. If it is '', the `url` of the grant is used. */
  endpoint: string;
  /** Error that prevents all uploads, such as an invalid setting. Files fail with it, and are sent again once it is null. */
  problem: BlobError | null;
  tokenProvider: TokenProvider;
  /** Carries the files instead of the service's own API. No token is requested then. */
  transport: Transport | null;
  limits: Limits;
  /** Requests at a time. @default 6, the connections that a browser opens to one host over HTTP/1.1 */
  concurrency: number;
  /** Files are sent only after `start()`. */
  manual: boolean;
  /** Fields of each file; null if the page asks for none. Needs `manual`. */
  fieldSource: FieldSource | null;
  /** Names the element and its page, so that a reload lists its interrupted uploads. If it is '', their file names are not kept. @default '' */
  resumeScope: string;
  /** Bytes from which a file is sent resumably (tus). */
  resumableFrom: number;
  /** Bytes up to which files share a request (`POST /v1/files/batch`); 0: never. */
  batchUpTo: number;
  /** Compares the service's SHA-256 with one that a worker computes. */
  verify: boolean;
  /** Compares the first bytes of a file with its extension before it is sent (`CONTENT_MISMATCH`). */
  sniff: boolean;
  /** Asks before the page is left, and keeps the screen on, while files are sent. @default true */
  preventsLeaving: boolean;
  /** Milliseconds without progress after which a request is aborted and retried. It does not limit the whole duration. @default 30000 */
  stallAfter: number;
  /** Retries of requests. Times in milliseconds. */
  retry: RetryPolicy;
}

/** Totals of the list. They are updated with each change, so reading them takes constant time. */
export interface Totals {
  files: number;
  queued: number;
  active: number;
  done: number;
  failed: number;
  /** Active files whose bytes are all sent, while the service has not responded yet. */
  finishing: number;
  /** Rejected files, without duplicates. */
  rejected: number;
  /** Bytes of all files that are not rejected, and how many of them are sent. */
  bytes: number;
  sent: number;
  /** Queued and active files of unknown size. `sent` contains their bytes, `bytes` does not. */
  unknownSizes: number;
  /** Bytes per second over the last seconds; null while it is unknown. */
  speed: number | null;
  /** Seconds until all files are sent; null while unknown. */
  secondsLeft: number | null;
}

/** Events of the queue by name. */
export interface QueueEventMap {
  add: { item: UploadItem };
  /** `previous` is the state before. Progress is a change as well. */
  change: { item: UploadItem; previous: UploadState };
  remove: { item: UploadItem };
  retry: { item: UploadItem; error: BlobError; attempt: number };
  /** Files that could not be prepared are retried. They are removed from the list until they are added again. */
  'prepare-again': { chosen: readonly Chosen[] };
  stall: { item: UploadItem };
  /** No file is queued or active any more. */
  complete: { successful: UploadItem[]; failed: UploadItem[] };
  /** The limits, the connection or the pause changed. */
  status: { online: boolean; paused: boolean; limits: Limits };
}

/** State and options of a queue, for code that loads later. */
export interface QueueContext {
  readonly state: {
    /** Number of listed files that the service is asked to delete. */
    deleting: number;
  };
  readonly options: QueueOptions;
}

/** The headless queue behind the element. It holds all files. Uppy gets only those of running requests. */
export interface UploadQueue {
  readonly size: number;
  readonly totals: Readonly<Totals>;
  readonly online: boolean;
  readonly paused: boolean;
  readonly context: QueueContext;
  /** All files in the order of the list. */
  readonly items: readonly UploadItem[];
  get(id: string): UploadItem | undefined;
  configure(options: Partial<QueueOptions>): void;
  /**
   * Validates and queues files. Rejected files get the status `rejected`. A file that failed before is replaced. With `replace`, the
   * first accepted file replaces all others.
   */
  add(files: Iterable<File | Chosen>, replace?: boolean): UploadItem[];
  /**
   * Puts a valid file in the place of another one, whose upload is aborted. If the other one is stored, it returns to the list when the
   * new one is canceled.
   */
  replace(id: string, chosen: Chosen): UploadItem;
  /** Lists stored files, such as those of a restored form. */
  restore(files: readonly StoredFile[]): UploadItem[];
  start(): void;
  pause(): void;
  resume(): void;
  /** Retries failed and waiting files at once: one, or all of them. */
  retry(id?: string): void;
  /** Aborts and removes one file, or all that are not stored. Stored files stay stored. */
  cancel(id?: string): void;
  /** Aborts and removes all files. */
  clear(): void;
  /** Removes the rejected files. */
  dismiss(): void;
  /** Removes the failed files. */
  removeFailed(): void;
  /** Moves a file to another index of the list, from 0. Its upload continues. */
  move(id: string, to: number): void;
  on<K extends keyof QueueEventMap>(type: K, listener: (event: QueueEventMap[K]) => void): () => void;
  destroy(): void;
}
