import { truncateText } from './display-text.js';
import { BlobError } from './errors.js';
import type { ErrorCode } from './errors.js';

// Pages load this file with the upload engine, because none of it is needed before the first upload.

/** The JSON body of an error response. */
export interface ErrorBody {
  code: string;
  message?: string;
  path?: string;
  details?: Record<string, unknown>;
}

/** Converts an error to the JSON body of a response. */
export function toErrorBody(error: BlobError): ErrorBody {
  return {
    code: error.code,
    message: error.message,
    ...(error.path !== undefined && { path: error.path }),
    ...(Object.keys(error.details).length > 0 && { details: { ...error.details } }),
  };
}

/** Codes of clients. A response that states one is not from the service. */
const CLIENT_CODE = /^(NETWORK_E|ABORTED|STALLED|TOKEN_SUPPLY|FILE_(UNREAD|CHANGED))/;

/** Longest code and longest message of a response, in UTF-16 units. */
const MAX_CODE_LENGTH = 64;
const MAX_MESSAGE_LENGTH = 2000;

/**
 * Creates the error for an error response. The response may come from another server, so a field counts only if its type is
 * right. A missing or unusable message becomes the code.
 * @param body parsed JSON, or any other value. Without an error code it becomes `UNEXPECTED_ANSWER` with the status of the response.
 * @param retryAfter the `Retry-After` header. It sets `details.retry_after`, unless the body states that itself.
 * @param date the `Date` header. Without it a date in `Retry-After` is ignored, because this computer's clock may be wrong.
 */
export function fromErrorBody(status: number, body: unknown, retryAfter?: string | null, date?: string | null): BlobError {
  const stated = Object(body) as Partial<Record<keyof ErrorBody, unknown>>;
  if (!isServiceCode(stated.code)) {
    const message = `The service responded with status ${status} but without an error code.`;
    return withRetryAfter(new BlobError('UNEXPECTED_ANSWER', message, { status }), retryAfter, date);
  }
  const { code, message, path, details } = stated;
  const error = new BlobError(code as ErrorCode, readMessage(message, code), {
    status,
    ...(typeof path === 'string' && { path }),
    ...(typeof details === 'object' && details !== null && !Array.isArray(details) && { details: { ...details } }),
  });
  return withRetryAfter(error, retryAfter, date);
}

const isServiceCode = (code: unknown): code is string =>
  typeof code === 'string' && code.length <= MAX_CODE_LENGTH && !CLIENT_CODE.test(code);

function readMessage(message: unknown, code: string): string {
  if (typeof message !== 'string' || message.trim() === '') return code;
  return truncateText(message, MAX_MESSAGE_LENGTH);
}

function withRetryAfter(error: BlobError, retryAfter?: string | null, date?: string | null): BlobError {
  const seconds = retryAfterSeconds(error, retryAfter, Date.parse(date ?? ''));
  if (seconds === undefined) return error;
  const { code, message, status, path, details } = error;
  return new BlobError(code, message, {
    status,
    ...(path !== undefined && { path }),
    details: { ...details, retry_after: seconds },
  });
}

/**
 * Returns whether the same request may succeed later: after a network error, a running request with the same idempotency key,
 * 408, 425, 429, and 5xx except 501 and 507. Never for `ABORTED`, `FILE_UNREADABLE`, `FILE_CHANGED` and `TOKEN_SUPPLY_FAILED`.
 */
export function isRetryable(error: BlobError): boolean {
  if (error.code === 'ABORTED' || error.code === 'FILE_UNREADABLE' || error.code === 'FILE_CHANGED') return false;
  if (error.code === 'TOKEN_SUPPLY_FAILED') return false;
  if (error.code === 'OPERATION_IN_PROGRESS') return true;
  if (error.status === 0) return true;
  return [408, 425, 429].includes(error.status) || (error.status >= 500 && error.status !== 507 && error.status !== 501);
}

/**
 * Returns how many seconds a client should wait before it retries.
 * @param header `Retry-After`: seconds or an HTTP date. `details.retry_after` of the error takes precedence.
 * @param now milliseconds since 1970, with which a date is compared
 * @returns undefined if neither is stated or valid
 */
export function retryAfterSeconds(error: BlobError, header?: string | null, now = Date.now()): number | undefined {
  const stated = error.details['retry_after'];
  if (typeof stated === 'number' && stated >= 0) return stated;
  if (!header) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header);
  const seconds = (Date.parse(header) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
