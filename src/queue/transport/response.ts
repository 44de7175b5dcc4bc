import { BlobError, fromErrorBody } from '../../protocol/errors.js';

/** What came back for one request. */
export interface ServiceResponse {
  /** HTTP status; 0 when no answer came. */
  status: number;
  /** The parsed JSON body; undefined when it is none. */
  body: unknown;
  /** Over origins, those that the service exposes. */
  headers: Headers;
}

export const NO_RESPONSE: ServiceResponse = { status: 0, body: undefined, headers: new Headers() };

/**
 * Asks a question beside the files. A redirect is not followed: it could lead to another origin, which would get the question and
 * whose answer, a token and an address, would be used.
 * @throws BlobError `NETWORK_ERROR` when no answer came, `UNEXPECTED_ANSWER` for a redirect; the signal's reason
 */
export async function fetchResponse(
  address: string | URL,
  { signal, ...init }: RequestInit & { signal: AbortSignal },
): Promise<ServiceResponse> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(address, { ...init, cache: 'no-store', redirect: 'manual', signal });
    text = await response.text();
  } catch (cause) {
    signal.throwIfAborted();
    throw new BlobError('NETWORK_ERROR', 'No answer came.', { cause });
  }
  // Node shows the redirect itself, browsers hide it.
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400))
    throw new BlobError('UNEXPECTED_ANSWER', `${address} answered with a redirect, which is not followed. Use its target.`, {
      status: response.status || 300,
    });
  return { status: response.status, body: parseJson(text), headers: response.headers };
}

/** What a refusal says. */
export const toBlobError = ({ status, body, headers }: ServiceResponse): BlobError =>
  fromErrorBody(status, body, headers.get('retry-after'), headers.get('date'));

/** @returns the payload of a success. @throws BlobError what the service said; `details.retry_after` also from its header. */
export function readPayload(answer: ServiceResponse): unknown {
  const { status, body } = answer;
  if (status === 0) throw new BlobError('NETWORK_ERROR', 'No answer came.');
  if (status >= 200 && status < 300) {
    const payload = (body as { response?: unknown } | undefined)?.response;
    if (typeof payload === 'object' && payload !== null) return payload;
    throw new BlobError('UNEXPECTED_ANSWER', `The service answered ${status} without a result.`, { status });
  }
  throw toBlobError(answer);
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
