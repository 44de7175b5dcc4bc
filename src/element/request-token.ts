import { fetchResponse, toBlobError } from '../queue/transport/response.js';
import type { TokenRequest } from '../queue/types.js';
import type { TokenGrant } from '../protocol/types.js';

/**
 * Requests a token from the server of the page.
 *
 * @throws BlobError with the code of the response
 */
export async function requestToken(address: string, { files, reason, signal }: TokenRequest): Promise<TokenGrant> {
  const response = await fetchResponse(new URL(address, document.baseURI), {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ files, reason }),
    signal,
  });
  const { status, body } = response;
  if (status < 200 || status > 299) throw toBlobError(response);
  // The service wraps its responses. A backend's token route does not.
  return ((body as { response?: TokenGrant } | undefined)?.response ?? body) as TokenGrant;
}
