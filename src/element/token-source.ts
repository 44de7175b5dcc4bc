import { loadChunk } from '../queue/load-chunk.js';
import type { TokenProvider } from '../queue/types.js';
import { BlobError } from '../protocol/errors.js';

/** The three ways in which a page can supply a token. The first one that is set is used: function, URL, token. */
export interface TokenSources {
  tokenProvider: TokenProvider | null;
  tokenEndpoint: string;
  token: string | null;
}

/** Loads the code that requests tokens. It needs parts of the upload engine, which loads later than the element. */
export const loadRequestToken = () => loadChunk('requestToken', () => import('./request-token.js'));

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
    if (tokenEndpoint !== '') return (await loadRequestToken())(tokenEndpoint, request);
    if (token) return String(token);
    throw new BlobError('TOKEN_SUPPLY_FAILED', 'No token source: set token, token-endpoint or tokenProvider on <svc-uploader>.');
  };
}
