import type { PlatformErrorCode } from './platform-error-codes.js';

/** Stable error codes with their HTTP statuses. Clients branch on `code`, never on `message`. */
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
  /** The virus scanner found something in the file, so it is not delivered. */
  FILE_INFECTED: 403,
  /** No rule of the folder lists this size of the image. */
  IMAGE_SIZE_NOT_ALLOWED: 403,
  /** The `authorize` of a site's token route refused these files. The message addresses the person. */
  TOKEN_REFUSED: 403,
  /** The page that asked a site's token route has an origin that is not listed. */
  ORIGIN_DENIED: 403,
  WORKSPACE_NOT_FOUND: 404,
  FILE_NOT_FOUND: 404,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  UPLOAD_TOO_SLOW: 408,
  FILE_EXISTS: 409,
  IDEMPOTENCY_KEY_REUSED: 409,
  /** A request with the same idempotency key is still running. `details.retry_after` states when to retry, in seconds. */
  OPERATION_IN_PROGRESS: 409,
  /** A resumable upload has another offset, `details.offset` bytes. Continue from the offset that HEAD returns. */
  UPLOAD_OFFSET_MISMATCH: 409,
  /**
   * The virus scanner has not found the file clean yet. `details.scan` is `pending` or `too_large`. `details.retry_after` states when to retry, in
   * seconds, if the file is pending.
   */
  FILE_NOT_SCANNED: 409,
  PRECONDITION_FAILED: 412,
  BLOB_FILE_TOO_LARGE: 413,
  /** The image has too many pixels or bytes, or takes too long. `details.limit` states which. */
  IMAGE_TOO_LARGE: 413,
  BLOCKED_FILE_TYPE: 415,
  /** The bytes are no image of a supported format. */
  IMAGE_TYPE_UNSUPPORTED: 415,
  INVALID_RANGE: 416,
  CHECKSUM_MISMATCH: 422,
  /** The image is damaged. */
  IMAGE_UNREADABLE: 422,
  RATE_LIMIT_EXCEEDED: 429,
  DAILY_QUOTA_EXCEEDED: 429,
  INTERNAL_SERVER_ERROR: 500,
  /** The service does not resize images. */
  IMAGES_DISABLED: 501,
  /** The database, the object store or memory for uploads is unavailable. `details.retry_after` states when to retry, in seconds. */
  SERVICE_UNAVAILABLE: 503,
  STORAGE_FULL: 507,
} as const;

/** The message of `TOKEN_REFUSED` if the site states none. The element replaces it by a text in the reader's language. */
export const TOKEN_REFUSED_MESSAGE = 'You may not upload here.';

/** A code that the service or a site's token route returns. */
export type ServiceErrorCode = keyof typeof ERROR_STATUS;

const STATUSES: ReadonlyMap<string, number> = new Map(Object.entries(ERROR_STATUS));

/** Returns the HTTP status of a code, or undefined for a code that this version does not know. */
export const statusOfCode = (code: string): number | undefined => STATUSES.get(code);

/** A code of an error that a client creates itself. Usually no response arrived, and `status` is 0. */
export type ClientErrorCode =
  | 'NETWORK_ERROR'
  | 'ABORTED'
  | 'STALLED'
  | 'TOKEN_SUPPLY_FAILED'
  | 'FILE_UNREADABLE'
  | 'FILE_CHANGED'
  | 'UNEXPECTED_ANSWER'
  | 'WEBHOOK_INVALID';

/** The code of a BlobError. */
export type ErrorCode = ServiceErrorCode | PlatformErrorCode | ClientErrorCode;

/** The reason why an upload token is refused: `details.reason` of `BLOB_UPLOAD_TOKEN_INVALID`. */
export type TokenInvalidReason = 'unknown' | 'expired' | 'revoked' | 'exhausted' | 'key_revoked';

/** Options of a BlobError. */
export interface BlobErrorOptions {
  /** HTTP status. @default the status of the code, or 0 for a code of a client */
  status?: number;
  /** Values that help to act, such as the missing scope, the retry delay or the limit. Each code has its own. @default {} */
  details?: Readonly<Record<string, unknown>>;
  /** The invalid field of a `VALIDATION_ERROR`. */
  path?: string;
  cause?: unknown;
}

/** An error of the service, of a token route or of a client. Branch on `code`. */
export class BlobError extends Error {
  override readonly name = 'BlobError';
  readonly code: ErrorCode;
  /** HTTP status; 0 if no response arrived. */
  readonly status: number;
  /** Values that help to act. `details.path` repeats `path`. */
  readonly details: Readonly<Record<string, unknown>>;
  /** The invalid field of a `VALIDATION_ERROR`. */
  readonly path: string | undefined;

  constructor(code: ErrorCode, message: string, options: BlobErrorOptions = {}) {
    // Callers without TypeScript may pass any value.
    const text = typeof message === 'string' ? message : code;
    super(text, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = options.status ?? statusOfCode(code) ?? 0;
    this.path = options.path;
    this.details = options.path === undefined ? (options.details ?? {}) : { path: options.path, ...options.details };
  }
}

/**
 * Creates a `VALIDATION_ERROR` for one field. Its message reads as a sentence.
 * @param requirement the rest of the sentence after the field's name, without a period: `must be an integer from 1 to 100; got 101`
 */
export function validationError(field: string, requirement: string, options: Omit<BlobErrorOptions, 'path'> = {}): BlobError {
  return new BlobError('VALIDATION_ERROR', `\`${field}\` ${requirement}.`, { ...options, path: field });
}
