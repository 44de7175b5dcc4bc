/** Codes of our own, beside those a store sends in its XML. */
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

export interface S3ErrorOptions {
  /** HTTP status; 0 when no answer came. */
  status?: number;
  requestId?: string;
  /** Seconds the store asks to wait (`Retry-After`). */
  retryAfter?: number;
  /** The store's clock, where its answer tells it. */
  serverTimeMs?: number;
  /** Send it again at once: a pooled connection was closed before any answer, or what the answer taught changes the request. */
  again?: boolean;
  /** The region, and the address, that the store names for the bucket. */
  region?: string;
  location?: string;
  tries?: number;
  /** Advice that replaces the one for the code. */
  advice?: string;
  cause?: unknown;
}

/** Error of the bulk engine: a refusal by the store, a failed connection, or bytes that differ from their checksum. */
export class S3Error extends Error {
  override readonly name = 'S3Error';
  readonly status: number;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly serverTimeMs: number | undefined;
  again: boolean;
  readonly region: string | undefined;
  readonly location: string | undefined;
  /** Requests made in vain before this was given up. */
  tries: number;
  advice: string | undefined;
  /** What the transfer did before this error ended it, including its failures. */
  summary?: Summary;

  constructor(
    /** A store's code (`NoSuchBucket`, `SlowDown`, …) or one of `LocalCode`. */
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

/** Anything thrown, as an S3Error. */
export function toS3Error(error: unknown): S3Error {
  if (error instanceof S3Error) return error;
  if (error instanceof DOMException && error.name === 'AbortError')
    return new S3Error('Aborted', 'The transfer was stopped.', { cause: error });
  const { code, message } = error as { code?: unknown; message?: string };
  if (typeof code === 'string' && /^E[A-Z]+$/.test(code))
    return new S3Error('SourceUnreadable', message ?? code, { cause: error });
  return new S3Error('UnexpectedAnswer', message ?? String(error), { cause: error });
}

/** Converts an error that the caller's own source threw. */
export function sourceError(thrown: unknown): S3Error {
  const error = toS3Error(thrown);
  return error.code === 'UnexpectedAnswer' ? new S3Error('SourceUnreadable', error.message, { cause: thrown }) : error;
}

export type Action = 'upload' | 'download' | 'copy' | 'delete' | 'verify';

/** One thing that could not be done, and what to do about it. */
export interface Failure {
  action: Action;
  /** Key or relative path, whichever the person would look for. */
  name: string;
  code: string;
  message: string;
  advice: string;
  /** Requests made for it in vain. */
  tries: number;
  /** HTTP status of the last answer; 0 when none came. */
  status: number;
  /** The whole of it, with its cause. Not enumerable: no log of the failure shows it. */
  error: S3Error;
}

export interface Summary {
  /** Things that were done, or would be in a dry run. */
  files: number;
  /** Bytes of them that this run moved (or would); of a verification, those that were compared. */
  bytes: number;
  /** Bytes of them that an earlier run had moved. */
  resumed: number;
  /** Things found already as they should be. */
  skipped: number;
  deleted: number;
  failed: number;
  /** The first 1,000 failures. */
  failures: Failure[];
  retries: number;
  /** Downloads, and objects compared by checksum, of which the store keeps nothing that their bytes could be compared with. */
  unverified: number;
  /** The code of what ended the run before all was tried: that of a failure after which no other thing could succeed, or `Aborted`. */
  ended?: string;
  /** Known items that were not done. Undefined when not all items were known. */
  undone?: number;
  /** Of that, what may be deleted: the store was asked for it and has not answered before the end. */
  maybeDeleted?: number;
  elapsedMs: number;
}
