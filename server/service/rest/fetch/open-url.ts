import type { IncomingMessage } from 'node:http';
import type { OutboundClient } from '../../outbound/outbound-client.js';
import { parseOutboundUrl } from '../../outbound/parse-url.js';
import { fetchFailed, toFetchError } from './fetch-error.js';

export const MAX_REDIRECTS = 5;
/** Time for the headers of one response. */
const HEADERS_TIMEOUT_MS = 30_000;
const REDIRECTS = [301, 302, 303, 307, 308];

/** No encoding, because a compressed body of a few kilobytes could become terabytes. Neither cookies nor credentials are sent. */
const HEADERS = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'svc-uploader-fetch' };

/** A response whose body is the file. */
export interface OpenedUrl {
  response: IncomingMessage;
  /** The URL after the redirects. */
  url: URL;
  /** Announced bytes; undefined if unknown. */
  size: number | undefined;
}

/**
 * Requests a URL and follows redirects. The outbound client checks the address of each.
 * @param signal ends the request, also while its body is read
 * @throws `FETCH_FAILED`; the reason of the signal
 */
export async function openUrl(client: OutboundClient, start: URL, signal: AbortSignal): Promise<OpenedUrl> {
  let url = start;
  for (let redirects = 0; ; redirects++) {
    const response = await send(client, url, signal);
    // Errors after the headers reach the reader of the body. The body of a redirect has no reader.
    response.on('error', () => {});
    try {
      if (!REDIRECTS.includes(response.statusCode!)) return { response, url, size: acceptedSize(response) };
      if (redirects === MAX_REDIRECTS) throw fetchFailed('redirect', `The URL redirects more than ${MAX_REDIRECTS} times.`);
      url = redirectTarget(response, url);
    } catch (cause) {
      response.destroy();
      throw toFetchError(cause);
    }
    response.destroy();
  }
}

async function send(client: OutboundClient, url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  const headersArrived = new AbortController();
  const timer = setTimeout(() => headersArrived.abort(timedOut()), HEADERS_TIMEOUT_MS);
  try {
    return await client.send(url, { headers: HEADERS, signal: AbortSignal.any([signal, headersArrived.signal]) });
  } catch (cause) {
    throw toFetchError(cause);
  } finally {
    clearTimeout(timer);
  }
}

export const timedOut = () => fetchFailed('timeout', 'The response to the URL took too long.');

function redirectTarget({ headers: { location } }: IncomingMessage, from: URL): URL {
  if (location === undefined) throw fetchFailed('redirect', 'The URL redirects without a target.');
  const target = parseOutboundUrl(location, from);
  if (from.protocol === 'https:' && target.protocol !== 'https:')
    throw fetchFailed('redirect', 'The URL redirects from https to http.');
  return target;
}

/** Validates the headers of a response. @returns its announced size */
function acceptedSize({ statusCode, headers }: IncomingMessage): number | undefined {
  if (statusCode !== 200)
    throw fetchFailed('status', `The response to the URL has the status ${statusCode}; 200 is required.`, { status: statusCode });
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity')
    throw fetchFailed('encoding', 'The response to the URL is compressed, although the request does not accept that.');
  // Node checks the length of a body only without Transfer-Encoding.
  const length = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? NaN) : NaN;
  return Number.isSafeInteger(length) ? length : undefined;
}
