import type { PreviewSize } from '../protocol/limits.js';
import { fetchResponse, isSuccess } from '../queue/transport/response.js';

/** Milliseconds after which the element shows icons. */
const TIMEOUT_MS = 30_000;

/**
 * Asks a token endpoint for links to previews of stored files.
 *
 * @returns the links by id; none of a file that the person may not see
 * @throws BlobError `NETWORK_ERROR` or `UNEXPECTED_ANSWER`
 */
export async function requestPreviews(
  address: string,
  ids: readonly string[],
  size: PreviewSize,
): Promise<ReadonlyMap<string, URL>> {
  const response = await fetchResponse(new URL(address, document.baseURI), {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    // Without a size, the route sends that of rows.
    body: JSON.stringify({ files: [], reason: 'preview', ids, ...(size !== 'row' && { size }) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const links = new Map<string, URL>();
  const previews: unknown = Object(response.body).previews;
  if (!isSuccess(response) || !Array.isArray(previews)) return links;
  for (const preview of previews) {
    const { id, url } = Object(preview) as { id?: unknown; url?: unknown };
    if (typeof id === 'string' && typeof url === 'string' && URL.canParse(url)) links.set(id, new URL(url));
  }
  return links;
}

/** Downloads a preview, without cookies. @throws if there is none */
export async function fetchPreview(url: URL): Promise<Blob> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { credentials: 'omit', referrerPolicy: 'no-referrer', signal });
  if (!response.ok) throw new TypeError(`The preview could not be read: status ${response.status}.`);
  return response.blob();
}
