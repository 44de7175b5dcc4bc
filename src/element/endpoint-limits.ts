import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { narrowLimits } from '../queue/tokens/token-limits.js';
import type { TokenLimits } from '../queue/tokens/token-limits.js';
import { requestLimits } from './request-limits.js';
import type { Settings } from './settings/read-settings.js';

export interface LimitsHost extends ReactiveControllerHost {
  readonly fetchLimits: boolean;
  readonly tokenEndpoint: string;
}

/** Asks the token endpoint for its limits before a file is chosen. Pages with `fetch-limits` load it. Without a response, the attributes count. */
export class EndpointLimits implements ReactiveController {
  /** The endpoint that was asked last. */
  #endpoint = '';
  #limits: TokenLimits | undefined;

  constructor(private readonly host: LimitsHost) {
    host.addController(this);
  }

  hostUpdated(): void {
    const { fetchLimits, tokenEndpoint } = this.host;
    const endpoint = fetchLimits ? tokenEndpoint : '';
    if (endpoint === this.#endpoint) return;
    this.#endpoint = endpoint;
    this.#limits = undefined;
    if (endpoint !== '') this.#request(endpoint).catch(() => {});
  }

  /** Narrows the limits of the attributes. */
  apply(settings: Settings): Settings {
    return this.#limits ? { ...settings, limits: narrowLimits(settings.limits, this.#limits) } : settings;
  }

  async #request(endpoint: string): Promise<void> {
    const limits = await requestLimits(endpoint);
    if (endpoint !== this.#endpoint) return;
    this.#limits = limits;
    this.host.requestUpdate();
  }
}
