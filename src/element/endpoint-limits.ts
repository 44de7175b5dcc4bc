import { narrowLimits } from '../queue/tokens/token-limits.js';
import type { TokenLimits } from '../queue/tokens/token-limits.js';
import { requestLimits, requestTokenLimits } from './request-limits.js';
import type { TokenSources } from './token-source.js';
import type { Settings } from './settings/read-settings.js';
import { readSources } from './sources/read-sources.js';

export interface LimitsHost extends TokenSources {
  readonly fetchLimits: boolean;
  readonly sources: string;
  readonly endpoint: string;
  requestUpdate(): void;
}

/** Asks for the limits of a token; undefined if the token states none. */
type Question = () => Promise<TokenLimits | undefined>;

/**
 * Asks for the limits of the tokens before a file is chosen: the token endpoint, or the service if the page has a token already. Pages with
 * `fetch-limits`, or with the source `url`, load it. Without a response, the attributes count.
 */
export class EndpointLimits {
  /** The token source that was asked last; undefined before the settings are read. */
  #source: string | undefined;
  #limits: TokenLimits | undefined;
  #isPending = true;

  constructor(private readonly host: LimitsHost) {}

  /** The response has not arrived yet. */
  get isPending(): boolean {
    return this.#isPending;
  }

  /** Narrows the limits of the attributes. Asks again if the token source has changed. */
  apply(settings: Settings): Settings {
    this.#askOnce();
    return this.#limits ? { ...settings, limits: narrowLimits(settings.limits, this.#limits) } : settings;
  }

  #askOnce(): void {
    const [source, question] = this.#findQuestion();
    if (source === this.#source) return;
    this.#source = source;
    this.#limits = undefined;
    this.#isPending = question !== undefined;
    if (question) void this.#ask(source, question);
  }

  /** Returns the source, and what it is asked. A function of the page may create a token each time, so it is not asked. */
  #findQuestion(): [source: string, question?: Question] {
    const { fetchLimits, sources, tokenEndpoint, tokenProvider, endpoint, token } = this.host;
    const hasLinks = !tokenProvider && readSources(sources).sources.includes('url');
    if (!fetchLimits && !hasLinks) return [''];
    if (tokenEndpoint !== '') return [tokenEndpoint, () => requestLimits(tokenEndpoint)];
    if (tokenProvider || !token || endpoint === '') return [''];
    return [`${endpoint} ${token}`, () => requestTokenLimits(token, endpoint)];
  }

  async #ask(source: string, question: Question): Promise<void> {
    const limits = await question().catch(() => undefined);
    if (source !== this.#source) return;
    this.#limits = limits;
    this.#isPending = false;
    this.host.requestUpdate();
  }
}
