import { isRetryable } from '../../src/protocol/error-response.js';
import { BlobError, ERROR_STATUS, TOKEN_REFUSED_MESSAGE } from '../../src/protocol/errors.js';

// Decides which errors of a token route reach the page. The page gets the errors that `authorize` throws for it. Errors between the
// backend and Blob Storage are hidden, because they contain keys and addresses. The page learns only whether to retry (429, 503) or
// not (500).

/** Errors of a minter. `authorize` may pass them on by accident. */
const internalErrors = new WeakSet<object>();

/** Marks an error as internal. A token route hides it from pages. */
export function markInternal(error: unknown): unknown {
  if (typeof error === 'object' && error !== null) internalErrors.add(error);
  return error;
}

/** Codes about API keys and workspaces, and codes of clients. */
const INTERNAL_CODE =
  /^(API_KEY_|WORKSPACE_|INTERNAL_SERVER_ERROR$|(NETWORK_ERROR|ABORTED|STALLED|TOKEN_SUPPLY_FAILED|FILE_UNREADABLE|FILE_CHANGED|UNEXPECTED_ANSWER)$)/;

/** Creates the error for a page in place of an internal one. It states only whether a retry may succeed. */
export function hideCause(error: unknown): BlobError {
  if (error instanceof BlobError && isRetryable(error)) {
    const isLimited = error.status === 429;
    return new BlobError(
      isLimited ? 'RATE_LIMIT_EXCEEDED' : 'INTERNAL_SERVER_ERROR',
      'The upload cannot be prepared at the moment. Try again.',
      {
        status: isLimited ? 429 : 503,
        details: { retry_after: readRetryAfter(error) ?? 1 },
      },
    );
  }
  return new BlobError('INTERNAL_SERVER_ERROR', 'The upload could not be prepared.');
}

/**
 * Turns what `authorize` threw into the error for the page.
 * @param report receives the errors that are hidden from the page
 */
export function toPageError(thrown: unknown, report: (error: unknown) => void): BlobError {
  const isInternal = !(thrown instanceof BlobError) || internalErrors.has(thrown) || INTERNAL_CODE.test(String(thrown.code));
  if (isInternal) {
    report(thrown);
    return hideCause(thrown);
  }
  const status = readStatus(thrown);
  if (status === undefined) {
    const problem = `authorize threw a BlobError with the code ${thrown.code} and the status ${thrown.status}, which cannot be sent.`;
    report(new TypeError(`${problem} Use the code TOKEN_REFUSED, or set a status from 400 to 599.`, { cause: thrown }));
    return new BlobError('TOKEN_REFUSED', TOKEN_REFUSED_MESSAGE);
  }
  const { code, message, path } = thrown;
  return new BlobError(code, message, {
    status,
    details: copyAsJson(thrown.details, report),
    ...(typeof path === 'string' && { path }),
  });
}

/** Returns the status for a response. @returns undefined for statuses below 400 or above 599, and for codes that are no identifiers */
function readStatus({ code, status }: BlobError): number | undefined {
  if (typeof code !== 'string' || !/^[A-Z][A-Z0-9_]{0,63}$/.test(code)) return undefined;
  if (Number.isInteger(status) && status >= 400 && status <= 599) return status;
  return Object.hasOwn(ERROR_STATUS, code) ? ERROR_STATUS[code as keyof typeof ERROR_STATUS] : undefined;
}

/** Copies details as JSON. Details that contain a BigInt or a circular reference are left out. */
function copyAsJson(details: unknown, report: (error: unknown) => void): Record<string, unknown> {
  try {
    const copy: unknown = JSON.parse(JSON.stringify(details ?? {}));
    return typeof copy === 'object' && copy !== null && !Array.isArray(copy) ? (copy as Record<string, unknown>) : {};
  } catch (cause) {
    report(new TypeError('The details of the BlobError that authorize threw cannot be written as JSON.', { cause }));
    return {};
  }
}

/** Returns `details.retry_after` in seconds, or undefined if it is not a finite number of at least 0. */
export function readRetryAfter(error: BlobError): number | undefined {
  const wait: unknown = error.details?.['retry_after'];
  return typeof wait === 'number' && Number.isFinite(wait) && wait >= 0 ? wait : undefined;
}

/** Wraps `onError` of the site. If it throws or rejects, both errors go to the console. */
export function safeReporter(onError: (error: unknown) => unknown): (error: unknown) => void {
  const report = async (error: unknown) => {
    try {
      await onError(error);
    } catch (cause) {
      console.error(error, '`onError` of the token route threw an error:', cause);
    }
  };
  return (error) => void report(error);
}
