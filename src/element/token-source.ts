import { ask, refusalOf } from '../queue/transport/response.js';
import type { TokenProvider, TokenRequest } from '../queue/types.js';
import { BlobError } from '../protocol/errors.js';
import type { TokenGrant } from '../protocol/types.js';

/** The three ways a page can give a token. The first that is set wins: a function, an address, the token itself. */
export interface TokenSources {
  tokenProvider: TokenProvider | null;
  tokenEndpoint: string;
  token: string | null;
}

/** Whatever the page gave, in the one shape the queue asks; read anew at every call. */
export function createTokenProvider(sources: () => TokenSources): TokenProvider {
  return async (request) => {
    const { tokenProvider, tokenEndpoint, token } = sources();
    if (typeof tokenProvider === 'function') return tokenProvider(request);
    if (tokenEndpoint !== '') return requestToken(tokenEndpoint, request);
    if (token) return String(token);
    throw new BlobError(
      'TOKEN_SUPPLY_FAILED',
      'Nothing gives a token: set token, token-endpoint or tokenProvider on <svc-uploader>.',
    );
  };
}

async function requestToken(address: string, { files, reason, signal }: TokenRequest): Promise<TokenGrant> {
  const answer = await ask(new URL(address, document.baseURI), {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ files, reason }),
    signal,
  });
  const { status, body } = answer;
  if (status < 200 || status > 299) throw refusalOf(answer);
  // Our own service wraps its answers; a backend's token route does not.
  return ((body as { response?: TokenGrant } | undefined)?.response ?? body) as TokenGrant;
}
