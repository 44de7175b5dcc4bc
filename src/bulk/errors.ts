import type { Summary } from './types.js';

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
  /** What to do about it, where that of its code is not meant. */
  advice?: string;
  cause?: unknown;
}

/** What the bulk adapter throws: a store's refusal, a broken connection, or a broken promise about bytes. */
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
  /** Of the run that this ended: what was done until then, and what had failed. */
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

const THROTTLES = new Set([
  'SlowDown',
  'ServiceUnavailable',
  'Throttling',
  'ThrottlingException',
  'TooManyRequests',
  'RequestLimitExceeded',
]);
const PASSING = new Set([
  'BadDigest',
  'ChecksumMismatch',
  'ConditionalRequestConflict',
  'ConnectionFailed',
  'IncompleteBody',
  'InternalError',
  'OperationAborted',
  'RequestTimeout',
  'Stalled',
  'XAmzContentChecksumMismatch',
  'XAmzContentSHA256Mismatch',
]);

/** The store asks for less: fewer requests at once and a pause. */
export const isThrottle = (error: S3Error): boolean => error.status === 429 || error.status === 503 || THROTTLES.has(error.code);

/** Whether the same request may succeed later. */
export const isRetryable = (error: S3Error): boolean =>
  isThrottle(error) ||
  PASSING.has(error.code) ||
  // A request that was long on its way; where the store tells no clock, none can be put right.
  (error.code === 'RequestTimeTooSkewed' && error.serverTimeMs !== undefined) ||
  (error.status >= 500 && error.status !== 501 && error.status !== 507);

/** What every request meets while a store is away; a store that asks for less is there. */
export const isOutage = ({ code, status }: S3Error): boolean =>
  code === 'ConnectionFailed' || code === 'Stalled' || ([502, 503, 504].includes(status) && code !== 'SlowDown');

/** There is no room for more. */
export const isStoreFull = ({ code, status }: S3Error): boolean => code === 'QuotaExceeded' || status === 507;

/** Whether the run as a whole is pointless after this: nothing else in it can succeed either. */
export const isFatal = (error: S3Error): boolean =>
  [
    'InvalidAccessKeyId',
    'NoSuchBucket',
    'NotS3',
    'SignatureDoesNotMatch',
    'PeerMissing',
    'ProxyFailed',
    'TlsFailed',
    'Aborted',
    'CredentialsMissing',
    'ExpiredToken',
    'RequestTimeTooSkewed',
    'StoreAway',
    'TargetFull',
    'TargetReadOnly',
  ].includes(error.code);

/** What may be of one request alone, when others were answered well: a page in between during a deployment, a name that a proxy writes anew. */
export const isOdd = ({ code, status }: S3Error): boolean => (code === 'NotS3' && status > 0) || code === 'SignatureDoesNotMatch';

/** Anything thrown, as an S3Error. */
export function toS3Error(error: unknown): S3Error {
  if (error instanceof S3Error) return error;
  if (error instanceof DOMException && error.name === 'AbortError')
    return new S3Error('Aborted', 'The run was stopped.', { cause: error });
  const { code, message } = error as { code?: unknown; message?: string };
  if (typeof code === 'string' && /^E[A-Z]+$/.test(code))
    return new S3Error('SourceUnreadable', message ?? code, { cause: error });
  return new S3Error('UnexpectedAnswer', message ?? String(error), { cause: error });
}

/** What a caller's own source threw. */
export function sourceError(thrown: unknown): S3Error {
  const error = toS3Error(thrown);
  return error.code === 'UnexpectedAnswer' ? new S3Error('SourceUnreadable', error.message, { cause: thrown }) : error;
}

const ADVICE: Record<string, string> = {
  AccessDenied: 'The key may not do this: check its policy for this bucket and prefix.',
  BadRequest:
    'The store does not say more: check the address, whether it is to begin with https or http, the region and the keys.',
  BucketAlreadyExists: 'Choose another name: another account has it.',
  BucketNotEmpty: 'Delete what is in it: svc-blob rm -r.',
  BudgetExhausted: 'The store failed too often. Run the same command again later.',
  ChecksumMismatch: 'Bytes were damaged on the way or in the store. Run again; if it stays, check the network and the store.',
  ConnectionFailed: 'Check the address and the network, then run the same command again.',
  CredentialsMissing: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile with --profile.',
  EntityTooLarge: 'The store takes no object of this size: ask its operator for the limit.',
  ExpiredToken: 'The credentials ran out: renew them and run the same command again.',
  FileChanged: 'The file was written to while it was read: run again when it is at rest.',
  InvalidAccessKeyId: 'The store does not know this access key: check the key and the address.',
  NameTaken:
    'Move away what stands there, or choose another target. Where the store has both `a` and `a/b`, leave one out: --exclude.',
  NameUnsafe: 'Give it another name, as cp of an object by itself does, or leave it out with --exclude.',
  NoSuchBucket: 'Make the bucket (svc-blob mb), or check its name and the address.',
  NoSuchKey: 'Check the name: it is wrong, or what lay there was removed.',
  InvalidOption: 'Correct it and run the same command again.',
  InvalidBucketName: 'Say 3 to 63 small letters, digits, dots and hyphens.',
  InvalidLocationConstraint: 'Say a region of the store with --region.',
  JournalLocked: 'Wait for that run to end, or go without a journal: --no-resume.',
  JournalUnwritable: 'Name a folder that can be written to with --state-dir, or go without a journal: --no-resume.',
  ListenerFailed: 'Mend what onEvent, or onProgress, does.',
  ListingBroken:
    'Look for a cache or a proxy before the store. Directory buckets tell their keys in no order: cp -r takes them, sync and verify cannot.',
  NotS3: 'Check --endpoint or AWS_ENDPOINT_URL: it has to name the S3 endpoint (of svc-blob serve: port 9000, not 8080).',
  NoSuchUpload: 'The store no longer knows the upload: run the same command again, it begins anew.',
  NotDeleted: 'Mend what failed and run the same command again: it deletes when everything else is done.',
  NothingThere: 'Check the name: it is wrong, or what lay there was removed. Patterns are said with --include.',
  NotEqual: 'Copy it again, and keep the older copy until you know which one is right.',
  AuthorizationHeaderMalformed: 'Say the region of the bucket with --region.',
  PeerMissing: 'Run that, with -g where svc-uploader was installed so, and then the same command again.',
  StoreAway: 'Look after the store, or the network, then run the same command again.',
  PermanentRedirect: 'The bucket is elsewhere. Name its region with --region, or its address with --endpoint.',
  TemporaryRedirect: 'The bucket is elsewhere. Name its region with --region, or its address with --endpoint.',
  PreconditionFailed: 'It exists already, or changed meanwhile; run again to see what stands there now.',
  ProxyFailed: 'Check HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY, and whether the proxy may reach the store.',
  TooMuchToDelete:
    'Look whether the source is the right one, and whole. If all of that is to go, say how many may: --max-delete.',
  TlsFailed: 'The store’s certificate is not trusted here: name its authority with AWS_CA_BUNDLE or NODE_EXTRA_CA_CERTS.',
  ScratchUnwritable: 'Name a folder with more room with TMPDIR.',
  QuotaExceeded:
    'The storage is full: make room there, or ask its operator for more. Uploads that were begun and not ended count as well: svc-blob ls --incomplete.',
  RequestTimeTooSkewed: 'Set the clock of this machine.',
  SignatureDoesNotMatch: 'The secret access key is wrong for this access key, or a proxy changes requests.',
  SlowDown: 'The store is overloaded: run again later, or with a lower --concurrency.',
  SourceUnreadable: 'Check that it exists and may be read, or leave it out: --exclude, and --symlinks skip for links.',
  Stalled: 'The connection stood still: run the same command again.',
  TargetFull: 'Make room on the disk of the target directory, or raise its quota, then run the same command again.',
  TargetReadOnly: 'Mount the disk of the target directory so that it can be written to, or choose another directory.',
  UnexpectedAnswer: 'Nobody expected that: look at the cause, and report it where it stays.',
  TemporaryGone: 'Run the same command again, when no other run writes there.',
  TargetUnwritable: 'Check the space and the rights in the target directory.',
};

/** A store may state any code, also one that every object has. */
const adviceFor = (code: string): string | undefined => (Object.hasOwn(ADVICE, code) ? ADVICE[code] : undefined);

/** What a person can do about it. */
export function advice(error: S3Error): string {
  const { code } = (error.cause ?? {}) as { code?: unknown };
  if (code === 'EMFILE' || code === 'ENFILE')
    return 'Too many files are open: raise the limit (ulimit -n), or lower --concurrency.';
  return (
    error.advice ??
    adviceFor(isStoreFull(error) ? 'QuotaExceeded' : error.code) ??
    (isRetryable(error) ? ADVICE['BudgetExhausted']! : 'The message is the store’s own; its operator can look up the request.')
  );
}
