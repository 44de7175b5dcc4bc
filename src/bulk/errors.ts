/** Error codes of the engine. Stores send codes of their own. */
export type LocalCode =
  | 'Aborted'
  | 'BudgetExhausted'
  | 'ChecksumMismatch'
  | 'ConnectionFailed'
  | 'CredentialsMissing'
  | 'FileChanged'
  | 'InvalidOption'
  | 'JournalLocked'
  | 'JournalUnwritable'
  | 'ListenerFailed'
  | 'ListingBroken'
  | 'NameTaken'
  | 'NameUnsafe'
  | 'NotDeleted'
  | 'NotEqual'
  | 'NothingThere'
  | 'NotS3'
  | 'PeerMissing'
  | 'ProxyFailed'
  | 'ScratchUnwritable'
  | 'SourceUnreadable'
  | 'Stalled'
  | 'StoreAway'
  | 'TargetFull'
  | 'TargetReadOnly'
  | 'TargetUnwritable'
  | 'TemporaryGone'
  | 'TlsFailed'
  | 'TooMuchToDelete'
  | 'UnexpectedAnswer';

/** Details of an `S3Error`. */
export interface S3ErrorOptions {
  /** HTTP status. @default 0, no response */
  status?: number;
  /** Id that the store gave to the request. */
  requestId?: string;
  /** Seconds to wait, as the store asks (`Retry-After`). */
  retryAfter?: number;
  /** Clock of the store, from the response. */
  serverTimeMs?: number;
  /**
   * Repeat the request at once: an idle connection was closed before the response, or the response taught something that changes
   * the request. @default false
   */
  again?: boolean;
  /** Region of the bucket, from a redirect. */
  region?: string;
  /** Address of the bucket, from a redirect. */
  location?: string;
  /** Attempts that failed. @default 0 */
  tries?: number;
  /** Advice that replaces the advice for the code. */
  advice?: string;
  cause?: unknown;
}

/** Error of the bulk engine, such as a refusal by the store, a failed connection, or bytes that differ from their checksum. */
export class S3Error extends Error {
  override readonly name = 'S3Error';
  /** HTTP status; 0 if no response arrived. */
  readonly status: number;
  /** Id that the store gave to the request. */
  readonly requestId: string | undefined;
  /** Seconds to wait, as the store asks. */
  readonly retryAfter: number | undefined;
  /** Clock of the store. */
  readonly serverTimeMs: number | undefined;
  /** Whether the request is repeated at once. It does not count as a retry. */
  again: boolean;
  readonly region: string | undefined;
  readonly location: string | undefined;
  /** Attempts that failed before the transfer gave up. */
  tries: number;
  /** Advice that replaces the advice for the code. */
  advice: string | undefined;
  /** Work and failures of the transfer that this error ended. */
  summary?: Summary;

  constructor(
    /** Code of the store (`NoSuchBucket`, `SlowDown`, …), or one of `LocalCode`. */
    readonly code: LocalCode | (string & {}),
    message: string,
    options: S3ErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = options.status ?? 0;
    this.requestId = options.requestId;
    this.retryAfter = options.retryAfter;
    this.serverTimeMs = options.serverTimeMs;
    this.again = options.again ?? false;
    this.region = options.region;
    this.location = options.location;
    this.tries = options.tries ?? 0;
    this.advice = options.advice;
  }
}

/** Converts any thrown value. */
export function toS3Error(error: unknown): S3Error {
  if (error instanceof S3Error) return error;
  if (error instanceof DOMException && error.name === 'AbortError')
    return new S3Error('Aborted', 'The transfer was stopped.', { cause: error });
  const { code, message } = error as { code?: unknown; message?: string };
  if (typeof code === 'string' && /^E[A-Z]+$/.test(code))
    return new S3Error('SourceUnreadable', message ?? code, { cause: error });
  return new S3Error('UnexpectedAnswer', message ?? String(error), { cause: error });
}

/** Converts an error that a source of the caller threw. */
export function sourceError(thrown: unknown): S3Error {
  const error = toS3Error(thrown);
  return error.code === 'UnexpectedAnswer' ? new S3Error('SourceUnreadable', error.message, { cause: thrown }) : error;
}

/** Kind of work on one file or object. */
export type Action = 'upload' | 'download' | 'copy' | 'delete' | 'verify';

/** One file or object that failed, with advice. */
export interface Failure {
  action: Action;
  /** Key, or path relative to the source. */
  name: string;
  code: string;
  message: string;
  /** Sentence that tells how to fix the problem. */
  advice: string;
  /** Attempts that failed. */
  tries: number;
  /** HTTP status of the last response; 0 if none arrived. */
  status: number;
  /** The error with its cause. Not enumerable, so logs of the failure do not contain it. */
  error: S3Error;
}

/** Result of a transfer. */
export interface Summary {
  /** Files and objects that were transferred, or would be in a dry run. */
  files: number;
  /** Bytes that this run moved or would move. For a verification, the compared bytes. */
  bytes: number;
  /** Bytes of these files that an earlier run had moved. */
  resumed: number;
  /** Files and objects that were left alone, such as those already up to date. */
  skipped: number;
  deleted: number;
  failed: number;
  /** The first 1,000 failures. */
  failures: Failure[];
  /** Requests that were repeated. */
  retries: number;
  /** Downloads, copies and compared objects for which the store keeps nothing that proves their bytes. */
  unverified: number;
  /** Code of the error that ended the transfer early: a fatal error, or `Aborted`. Undefined if every item was tried. */
  ended?: string;
  /** Known items that were not processed. Undefined if not all items were known. */
  undone?: number;
  /** Items among `undone` that may be deleted: the transfer ended before the store responded. */
  maybeDeleted?: number;
  elapsedMs: number;
}
