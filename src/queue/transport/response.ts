import { fromErrorBody } from '../../protocol/error-response.js';
import { BlobError } from '../../protocol/errors.js';

/** The response to a request. */
export interface ServiceResponse {
  /** HTTP status; 0 if no response arrived. */
  status: number;
  /** The parsed JSON body; undefined if it is no JSON. */
  body: unknown;
  /** Across origins only the headers that the service exposes. */
  headers: Headers;
}

export const NO_RESPONSE: ServiceResponse = { status: 0, body: undefined, headers: new Headers() };

/**
 * Sends a request that carries no file. Redirects are not followed: another origin would get the request, and its response, with a token
 * and an address, would be used.
 * @throws BlobError `NETWORK_ERROR` without a response, `UNEXPECTED_ANSWER` for a redirect; the signal's reason
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
    throw new BlobError('NETWORK_ERROR', 'No response arrived.', { cause });
  }
  // Node returns the redirect itself. Browsers hide it.
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400))
    throw new BlobError('UNEXPECTED_ANSWER', `${address} responded with a redirect, which is not followed. Use its target.`, {
      status: response.status || 300,
    });
  return { status: response.status, body: parseJson(text), headers: response.headers };
}

export const isSuccess = ({ status }: ServiceResponse): boolean => status >= 200 && status < 300;

/** Converts the response of a failed request to an error. */
export const toBlobError = ({ status, body, headers }: ServiceResponse): BlobError =>
  fromErrorBody(status, body, headers.get('retry-after'), headers.get('date'));

/** Returns the payload of a successful response. @throws BlobError the error of the service, with `details.retry_after` */
export function readPayload(response: ServiceResponse): unknown {
  const { status, body } = response;
  if (status === 0) throw new BlobError('NETWORK_ERROR', 'No response arrived.');
  if (isSuccess(response)) {
    const payload = (body as { response?: unknown } | undefined)?.response;
    if (typeof payload === 'object' && payload !== null) return payload;
    throw new BlobError('UNEXPECTED_ANSWER', `The service responded ${status} without a result.`, { status });
  }
  throw toBlobError(response);
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
