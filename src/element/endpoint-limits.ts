import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { narrowLimits } from '../queue/tokens/token-limits.js';
import type { TokenLimits } from '../queue/tokens/token-limits.js';
import { requestLimits, requestTokenLimits } from './request-limits.js';
import type { TokenSources } from './token-source.js';
import type { Settings } from './settings/read-settings.js';

export interface LimitsHost extends ReactiveControllerHost, TokenSources {
  readonly fetchLimits: boolean;
  readonly endpoint: string;
}

/** Asks for the limits of the tokens before a file is chosen. Pages with `fetch-limits` load it. Without a response, the attributes count. */
export class EndpointLimits implements ReactiveController {
  /** The token source that was asked last. */
  #source = '';
  #limits: TokenLimits | undefined;

  constructor(private readonly host: LimitsHost) {
    host.addController(this);
  }

  hostUpdated(): void {
    const { fetchLimits, tokenProvider, tokenEndpoint, token, endpoint } = this.host;
    const ownToken = tokenEndpoint === '' && !tokenProvider && endpoint !== '' ? token : null;
    const source = fetchLimits ? tokenEndpoint || (ownToken ? `${endpoint} ${ownToken}` : '') : '';
    if (source === this.#source) return;
    this.#source = source;
    this.#limits = undefined;
    if (source !== '') this.#request(source, ownToken).catch(() => {});
  }

  /** Narrows the limits of the attributes. */
  apply(settings: Settings): Settings {
    return this.#limits ? { ...settings, limits: narrowLimits(settings.limits, this.#limits) } : settings;
  }

  async #request(source: string, token: string | null): Promise<void> {
    const limits = await (token ? requestTokenLimits(token, this.host.endpoint) : requestLimits(source));
    if (source !== this.#source) return;
    this.#limits = limits;
    this.host.requestUpdate();
  }
}
