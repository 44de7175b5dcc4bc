import { BlobError, fromErrorBody, retryAfterSeconds } from '../protocol/errors.js';
import type { FileRecord } from '../protocol/types.js';

/** What came back for one request. */
export interface Answer {
  /** HTTP status; 0 when no answer came. */
  status: number;
  /** The parsed JSON body; undefined when it is none. */
  body: unknown;
  /** A header's value; over origins only what the service exposes can be read. */
  header(name: string): string | null;
}

export const NO_ANSWER: Answer = { status: 0, body: undefined, header: () => null };

/** The answers whose `Retry-After` means something. Elsewhere it isn't asked for: one that is not exposed costs a line in the console. */
const MAY_STATE_DELAY = [408, 409, 425, 429, 503];

/** @returns the payload of a success. @throws BlobError what the service said; `details.retry_after` also from its header. */
export function payloadOf({ status, body, header }: Answer): unknown {
  if (status === 0) throw new BlobError('NETWORK_ERROR', 'No answer came.');
  if (status >= 200 && status < 300) {
    const payload = (body as { response?: unknown } | undefined)?.response;
    if (typeof payload === 'object' && payload !== null) return payload;
    throw new BlobError('UNEXPECTED_ANSWER', `The service answered ${status} without a result.`, { status });
  }
  const error = fromErrorBody(status, body);
  const seconds = retryAfterSeconds(error, MAY_STATE_DELAY.includes(status) ? header('retry-after') : null);
  if (seconds === undefined || error.details['retry_after'] !== undefined) throw error;
  throw new BlobError(error.code, error.message, { status, details: { ...error.details, retry_after: seconds } });
}

/** @returns the file a success describes. @throws BlobError as `payloadOf`. */
export function fileOf(answer: Answer): FileRecord {
  const payload = payloadOf(answer) as Partial<FileRecord>;
  if (typeof payload.id === 'string' && typeof payload.path === 'string') return payload as FileRecord;
  throw new BlobError('UNEXPECTED_ANSWER', 'The service answered without a file.', { status: answer.status });
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
