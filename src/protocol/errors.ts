import { truncateText } from './display-text.js';

/**
 * Stable error codes and the HTTP status that carries each.
 * Source: platform-api "Errors" and the REST contract's status list. Clients branch on `code`, never on `message`.
 */
export const ERROR_STATUS = {
  VALIDATION_ERROR: 400,
  INVALID_PATH: 400,
  NO_FILE_UPLOADED: 400,
  AUTH_TOKEN_MISSING: 401,
  API_KEY_INVALID: 401,
  BLOB_UPLOAD_TOKEN_INVALID: 401,
  API_KEY_SCOPE_DENIED: 403,
  API_KEY_IP_DENIED: 403,
  WORKSPACE_PERMISSION_DENIED: 403,
  BLOB_UPLOAD_TOKEN_CONSTRAINT: 403,
  /** A site's token route: its `authorize` grants nothing for these files; the message is meant for the person. */
  TOKEN_REFUSED: 403,
  /** A site's token route: asked from a page of an origin that is not listed. */
  ORIGIN_DENIED: 403,
  WORKSPACE_NOT_FOUND: 404,
  FILE_NOT_FOUND: 404,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  UPLOAD_TOO_SLOW: 408,
  FILE_EXISTS: 409,
  IDEMPOTENCY_KEY_REUSED: 409,
  /** The same idempotency key is still being worked on; `details.retry_after` says when to ask again. */
  OPERATION_IN_PROGRESS: 409,
  /** A resumable upload stands elsewhere (`details.offset`): ask with HEAD and go on from there. */
  UPLOAD_OFFSET_MISMATCH: 409,
  PRECONDITION_FAILED: 412,
  BLOB_FILE_TOO_LARGE: 413,
  BLOCKED_FILE_TYPE: 415,
  INVALID_RANGE: 416,
  CHECKSUM_MISMATCH: 422,
  RATE_LIMIT_EXCEEDED: 429,
  DAILY_QUOTA_EXCEEDED: 429,
  INTERNAL_SERVER_ERROR: 500,
  /** The database, the object store or the memory for uploads is not available now; `details.retry_after` says when to try again. */
  SERVICE_UNAVAILABLE: 503,
  STORAGE_FULL: 507,
} as const;

/** The message of a `TOKEN_REFUSED` whose site says nothing itself: a page has it in the reader's own language. */
export const TOKEN_REFUSED_MESSAGE = 'You may not upload here.';

export type ServiceErrorCode = keyof typeof ERROR_STATUS;

const STATUSES: ReadonlyMap<string, number> = new Map(Object.entries(ERROR_STATUS));

/** The HTTP status of a code; undefined for a code that this version does not know. */
export const statusOfCode = (code: string): number | undefined => STATUSES.get(code);

/** Codes that arise before or instead of an answer; they never travel over the wire. `status` is 0. */
export type ClientErrorCode =
  | 'NETWORK_ERROR'
  | 'ABORTED'
  | 'STALLED'
  | 'TOKEN_SUPPLY_FAILED'
  | 'FILE_UNREADABLE'
  | 'FILE_CHANGED'
  | 'UNEXPECTED_ANSWER';

export type ErrorCode = ServiceErrorCode | ClientErrorCode;

/** Why an upload token is refused (`BLOB_UPLOAD_TOKEN_INVALID`, `details.reason`). */
export type TokenInvalidReason = 'unknown' | 'expired' | 'revoked' | 'exhausted' | 'key_revoked';

export interface BlobErrorOptions {
  /** HTTP status; by default the one the code stands for, 0 for a code of the client's own. */
  status?: number;
  /** The numbers needed to act: missing scope, retry delay, limit. Shapes by code: see the REST contract. */
  details?: Readonly<Record<string, unknown>>;
  /** The field at fault, for `VALIDATION_ERROR`. */
  path?: string;
  cause?: unknown;
}

/** The one error class of the product: what the service answers and what the clients throw. */
export class BlobError extends Error {
  override readonly name = 'BlobError';
  readonly code: ErrorCode;
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;
  readonly path: string | undefined;

  /** Compares the name and the fields, because a page that loads the script from two addresses has this class twice. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (!(value instanceof Error) || value.name !== 'BlobError') return false;
    const { code, status, details } = value as Partial<BlobError>;
    return typeof code === 'string' && typeof status === 'number' && typeof details === 'object' && details !== null;
  }

  constructor(code: ErrorCode, message: string, options: BlobErrorOptions = {}) {
    // Pages without types may pass anything as a message.
    const text = typeof message === 'string' ? message : code;
    super(text, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = options.status ?? statusOfCode(code) ?? 0;
    this.path = options.path;
    this.details = options.path === undefined ? (options.details ?? {}) : { path: options.path, ...options.details };
  }
}

/** A `VALIDATION_ERROR` that names the field and the rule. */
export function validationError(path: string, rule: string, details?: Record<string, unknown>): BlobError {
  return new BlobError('VALIDATION_ERROR', `${path}: ${rule}`, { path, ...(details && { details }) });
}

/** The error envelope as it stands on the wire. */
export interface ErrorBody {
  code: string;
  message?: string;
  path?: string;
  details?: Record<string, unknown>;
}

export function toErrorBody(error: BlobError): ErrorBody {
  return {
    code: error.code,
    message: error.message,
    ...(error.path !== undefined && { path: error.path }),
    ...(Object.keys(error.details).length > 0 && { details: { ...error.details } }),
  };
}

/** The client's own codes, which nobody can answer with. */
const CLIENT_CODE = /^(NETWORK_E|ABORTED|STALLED|TOKEN_SUPPLY|FILE_(UNREAD|CHANGED))/;

/** Longest code and longest message (UTF-16 units) that are read from an error answer. */
const CODE_MAX = 64;
const MESSAGE_MAX = 2000;

/**
 * Reads an error answer. A body that is not our envelope becomes `UNEXPECTED_ANSWER` with the status kept. The answer may come from
 * a stranger, so each field counts only if it has its type: a missing or unusable message becomes the code.
 * @param retryAfter the answer's `Retry-After`; it goes into `details.retry_after`, unless the body states that itself
 * @param date the answer's `Date`, without which a date in `Retry-After` says nothing: this machine's clock may be wrong
 */
export function fromErrorBody(status: number, body: unknown, retryAfter?: string | null, date?: string | null): BlobError {
  const { code: stated, message: said, path, details: given } = Object(body) as Partial<Record<keyof ErrorBody, unknown>>;
  const isOurs = typeof stated === 'string' && stated.length <= CODE_MAX && !CLIENT_CODE.test(stated);
  const code = isOurs ? stated : 'UNEXPECTED_ANSWER';
  const message = isOurs ? readMessage(said, code) : `The service answered ${status} without an error envelope.`;
  const details = isOurs && typeof given === 'object' && !Array.isArray(given) ? given : {};
  const read = (more?: Record<string, unknown>) =>
    new BlobError(code as ErrorCode, message, {
      status,
      ...(isOurs && typeof path === 'string' && { path }),
      details: { ...details, ...more },
    });
  const seconds = retryAfterSeconds(read(), retryAfter, Date.parse(date ?? ''));
  return read(seconds === undefined ? undefined : { retry_after: seconds });
}

function readMessage(said: unknown, code: string): string {
  if (typeof said !== 'string' || said.trim() === '') return code;
  return truncateText(said, MESSAGE_MAX);
}

/** Whether a later try of the same request may succeed: no answer, 408, 425, 429, a running twin, 5xx but a full disk. */
export function isRetryable(error: BlobError): boolean {
  if (error.code === 'ABORTED' || error.code === 'FILE_UNREADABLE' || error.code === 'FILE_CHANGED') return false;
  if (error.code === 'TOKEN_SUPPLY_FAILED') return false;
  if (error.code === 'OPERATION_IN_PROGRESS') return true;
  if (error.status === 0) return true;
  return [408, 425, 429].includes(error.status) || (error.status >= 500 && error.status !== 507 && error.status !== 501);
}

/** Seconds a refused client should wait, from `details.retry_after` or a `Retry-After` header (seconds or an HTTP date). */
export function retryAfterSeconds(error: BlobError, header?: string | null, now = Date.now()): number | undefined {
  const stated = error.details['retry_after'];
  if (typeof stated === 'number' && stated >= 0) return stated;
  if (!header) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header);
  const seconds = (Date.parse(header) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
