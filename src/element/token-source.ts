import { fetchResponse, toBlobError } from '../queue/transport/response.js';
import type { TokenProvider, TokenRequest } from '../queue/types.js';
import { BlobError } from '../protocol/errors.js';
import type { TokenGrant } from '../protocol/types.js';

/** The three ways in which a page can supply a token. The first one that is set is used: function, URL, token. */
export interface TokenSources {
  tokenProvider: TokenProvider | null;
  tokenEndpoint: string;
  token: string | null;
}

/** Keeps one provider per token source, because another source has other tokens and limits. */
export class TokenProviderCache {
  #lastSources: TokenSources | undefined;
  #provider: TokenProvider;

  constructor(private readonly sources: () => TokenSources) {
    this.#provider = createTokenProvider(sources);
  }

  /**
   * Returns the provider of the present source.
   *
   * @param isSending files are being sent. A new function alone is then no change, because frameworks may pass one at every render.
   */
  current(isSending: boolean): TokenProvider {
    const { token, tokenEndpoint, tokenProvider } = this.sources();
    const last = this.#lastSources;
    const hasChanged =
      last?.token !== token || last.tokenEndpoint !== tokenEndpoint || (last.tokenProvider !== tokenProvider && !isSending);
    if (hasChanged) {
      this.#lastSources = { token, tokenEndpoint, tokenProvider };
      this.#provider = createTokenProvider(this.sources);
    }
    return this.#provider;
  }
}

/** Returns the token source of the page as a function for the queue. Reads the source at every call, because pages change it. */
export function createTokenProvider(sources: () => TokenSources): TokenProvider {
  return async (request) => {
    const { tokenProvider, tokenEndpoint, token } = sources();
    if (typeof tokenProvider === 'function') return tokenProvider(request);
    if (tokenEndpoint !== '') return requestToken(tokenEndpoint, request);
    if (token) return String(token);
    throw new BlobError('TOKEN_SUPPLY_FAILED', 'No token source: set token, token-endpoint or tokenProvider on <svc-uploader>.');
  };
}

async function requestToken(address: string, { files, reason, signal }: TokenRequest): Promise<TokenGrant> {
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
