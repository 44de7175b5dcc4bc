import { limitsOf, readToken } from '../queue/tokens/read-token.js';
import type { TokenLimits } from '../queue/tokens/token-limits.js';
import { fetchResponse, isSuccess } from '../queue/transport/response.js';

/** Milliseconds after which the element goes by its attributes. */
const TIMEOUT_MS = 30_000;

/**
 * Asks a token endpoint which limits its tokens have.
 *
 * @returns undefined if the endpoint does not state them, such as one that responds with a token
 */
export async function requestLimits(address: string): Promise<TokenLimits | undefined> {
  const response = await fetchResponse(new URL(address, document.baseURI), {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ files: [], reason: 'limits' }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const limits: unknown = Object(response.body).limits;
  return isSuccess(response) && limits ? limitsOf(Object(limits)) : undefined;
}

/** Asks the service for the limits of a token. */
export const requestTokenLimits = async (token: string, endpoint: string): Promise<TokenLimits> =>
  (await readToken(token, endpoint, AbortSignal.timeout(TIMEOUT_MS))).limits;
