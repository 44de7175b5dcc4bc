import { BlobError, ERROR_STATUS, TOKEN_REFUSED_MESSAGE, isRetryable } from '../../src/protocol/errors.js';

/**
 * Decides which errors of a token route reach the page. The page gets the errors that `authorize` throws for it. Everything that
 * happens between the backend and Blob Storage becomes "not now" (503, 429) or "not at all" (500), because it names keys and addresses.
 */

/** Rejections of a minter, which `authorize` may pass on without thinking. */
const internalErrors = new WeakSet<object>();

/** Marks an error as the backend's own: a token route never shows it to a page. */
export function markInternal(error: unknown): unknown {
  if (typeof error === 'object' && error !== null) internalErrors.add(error);
  return error;
}

/** Codes about keys and workspaces, and the codes of failures without an answer. */
const INTERNAL_CODE =
  /^(API_KEY_|WORKSPACE_|INTERNAL_SERVER_ERROR$|(NETWORK_ERROR|ABORTED|STALLED|TOKEN_SUPPLY_FAILED|FILE_UNREADABLE|FILE_CHANGED|UNEXPECTED_ANSWER)$)/;

/** Tells a page only whether a later try may succeed. */
export function hideCause(error: unknown): BlobError {
  if (error instanceof BlobError && isRetryable(error)) {
    const isLimited = error.status === 429;
    return new BlobError(isLimited ? 'RATE_LIMIT_EXCEEDED' : 'INTERNAL_SERVER_ERROR', 'No token can be had just now.', {
      status: isLimited ? 429 : 503,
      details: { retry_after: readRetryAfter(error) ?? 1 },
    });
  }
  return new BlobError('INTERNAL_SERVER_ERROR', 'The upload could not be prepared.');
}

/**
 * Turns what `authorize` threw into the error for the page.
 * @param report is told of everything that the page does not get to see
 */
export function toPageError(thrown: unknown, report: (error: unknown) => void): BlobError {
  const isInternal = !(thrown instanceof BlobError) || internalErrors.has(thrown) || INTERNAL_CODE.test(String(thrown.code));
  if (isInternal) {
    report(thrown);
    return hideCause(thrown);
  }
  const status = readStatus(thrown);
  if (status === undefined) {
    const problem = `authorize threw a BlobError with the code ${thrown.code} and the status ${thrown.status}, which cannot be answered. `;
    report(new TypeError(`${problem}Use the code TOKEN_REFUSED, or set a status from 400 to 599.`, { cause: thrown }));
    return new BlobError('TOKEN_REFUSED', TOKEN_REFUSED_MESSAGE);
  }
  const { code, message, path } = thrown;
  return new BlobError(code, message, {
    status,
    details: copyAsJson(thrown.details, report),
    ...(typeof path === 'string' && { path }),
  });
}

/** A status that carries an error body; undefined for others, such as 0, 99, 204 and NaN, and for a code that is no identifier. */
function readStatus({ code, status }: BlobError): number | undefined {
  if (typeof code !== 'string' || !/^[A-Z][A-Z0-9_]{0,63}$/.test(code)) return undefined;
  if (Number.isInteger(status) && status >= 400 && status <= 599) return status;
  return Object.hasOwn(ERROR_STATUS, code) ? ERROR_STATUS[code as keyof typeof ERROR_STATUS] : undefined;
}

/** The details as JSON can carry them; none if they hold a BigInt or a circle. */
function copyAsJson(details: unknown, report: (error: unknown) => void): Record<string, unknown> {
  try {
    const copy: unknown = JSON.parse(JSON.stringify(details ?? {}));
    return typeof copy === 'object' && copy !== null && !Array.isArray(copy) ? (copy as Record<string, unknown>) : {};
  } catch (cause) {
    report(new TypeError('The details of the BlobError that authorize threw cannot be written as JSON.', { cause }));
    return {};
  }
}

/** Seconds from `details.retry_after`; undefined if they are no usable number. */
export function readRetryAfter(error: BlobError): number | undefined {
  const wait: unknown = error.details?.['retry_after'];
  return typeof wait === 'number' && Number.isFinite(wait) && wait >= 0 ? wait : undefined;
}

/** Calls the site's `onError`. If that throws or rejects, both errors go to the console and nothing else fails. */
export function safeReporter(onError: (error: unknown) => unknown): (error: unknown) => void {
  const report = async (error: unknown) => {
    try {
      await onError(error);
    } catch (cause) {
      console.error(error, 'onError of the token route failed:', cause);
    }
  };
  return (error) => void report(error);
}
