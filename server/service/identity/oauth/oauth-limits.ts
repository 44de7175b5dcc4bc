import type { Counters } from '../limits/counters.js';
import { minuteOf } from '../limits/windows.js';
import { networkOf } from '../../runtime/ip-addresses.js';
import { OauthError } from './oauth-error.js';

/**
 * Requests per minute. Limits of a network are generous, because an office or a provider's gateway is one network. The ceiling of all networks
 * together bounds the work that many addresses can cause.
 */
const LIMITS = {
  register: { network: 60, all: 3000 },
  authorize: { network: 240, all: 12_000 },
  token: { network: 240, all: 12_000 },
} as const;

/** Counts requests to the authorization server, which have no credential. All replicas share the counters. */
export class OauthLimits {
  constructor(
    private readonly counters: Counters,
    private readonly now: () => number,
  ) {}

  /** @throws OauthError `too_many_requests` */
  async count(endpoint: keyof typeof LIMITS, address: string): Promise<void> {
    const { network, all } = LIMITS[endpoint];
    // The ceiling is counted last. Otherwise the refused requests of one network would use it up.
    await this.#count(`oauth-${endpoint}:${networkOf(address)}`, network);
    await this.#count(`oauth-${endpoint}`, all);
  }

  async #count(counter: string, limit: number): Promise<void> {
    const now = this.now();
    const minute = minuteOf(now);
    if ((await this.counters.increment(counter, minute, limit)).granted) return;
    const retryAfter = Math.max(1, Math.ceil((minute.end - now) / 1000));
    throw new OauthError(
      'too_many_requests',
      `The limit of ${limit} requests a minute is exceeded. Try again in ${retryAfter} seconds.`,
      {
        retryAfter,
      },
    );
  }
}
