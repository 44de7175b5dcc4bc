import { BlobError } from '../../../../src/protocol/errors.js';
import { networkOf } from '../addresses.js';
import type { Actor } from '../actor.js';
import type { Counters } from './counters.js';
import { dayOf, minuteOf } from './windows.js';
import type { Window } from './windows.js';
import type { Credential, Storage } from '../credential.js';

/** Requests; null: no limit. */
export interface RateLimits {
  /** A minute, for one route with one key or token, and for listings without a credential (public buckets, shared folders) from one network. @default 3000 */
  route?: number | null;
  /** A minute, for all requests of an account with API keys. @default 6000 */
  minute?: number | null;
  /** From midnight to midnight in America/Fortaleza, for all requests of an account with API keys. @default 1000000 */
  day?: number | null;
  /** A minute, for all requests of an account with S3 key pairs. @default 210000, the 3,500 a second that S3 itself takes */
  s3?: number | null;
}

/** Receives response headers. A Fastify reply has this form. */
export interface ResponseHeaders {
  header(name: string, value: string): unknown;
}

const DEFAULTS = { route: 3000, minute: 6000, day: 1_000_000, s3: 210_000 } as const;

interface Budget {
  scope: keyof RateLimits;
  /** Of its counter. */
  name: string;
  window: Window;
  /** What the names of its headers begin with. */
  header?: string;
}

const secondsLeft = (window: Window, now: number): number => Math.max(1, Math.ceil((window.end - now) / 1000));

/** Judges every request with a credential, and says in its headers how much is left. Upload tokens count towards their own routes alone. */
export class Limits {
  readonly #limits: Required<RateLimits>;
  #day: Window | undefined;

  constructor(
    private readonly counters: Counters,
    limits: RateLimits,
    private readonly now: () => number,
  ) {
    this.#limits = { ...DEFAULTS, ...limits };
  }

  /**
   * Counts a request whose credential is known, whatever its route will say of it. What one limit refuses draws on no further one; the headers tell
   * of all. @throws `RATE_LIMIT_EXCEEDED`, `DAILY_QUOTA_EXCEEDED` with `details` `{scope, limit, used, retry_after}`.
   */
  async admit({ credential, storage }: Actor, route: string, response: ResponseHeaders): Promise<void> {
    const now = this.now();
    let refused: BlobError | undefined;
    for (const { scope, name, window, header } of this.#budgets(credential, storage, route, now)) {
      const limit = this.#limits[scope];
      if (limit === null) continue;
      const { granted, used } = refused
        ? { granted: true, used: await this.counters.look(name, window, limit) }
        : await this.counters.take(name, window, limit);
      if (header !== undefined) this.#writeHeaders(response, header, used, limit, secondsLeft(window, now));
      if (!granted) refused = this.#exceeded(scope, limit, secondsLeft(window, now));
    }
    if (refused) throw refused;
  }

  #budgets({ id, kind }: Credential, { accountId }: Storage, route: string, now: number): Budget[] {
    const minute = minuteOf(now);
    const ofRoute: Budget = { scope: 'route', name: `route:${id}:${route}`, window: minute };
    if (kind !== 'key') return [ofRoute];
    if (!this.#day || now >= this.#day.end || now < this.#day.start) this.#day = dayOf(now);
    return [
      ofRoute,
      { scope: 'minute', name: `minute:${accountId}`, window: minute, header: 'x-ratelimit' },
      { scope: 'day', name: `day:${accountId}`, window: this.#day, header: 'x-quota' },
    ];
  }

  /**
   * Counts a request over S3. The account's minute and day are of API keys alone (platform-api, "Limits"), so key pairs have a budget beside
   * them. @throws `RATE_LIMIT_EXCEEDED`.
   */
  async admitS3(accountId: string): Promise<void> {
    const { s3 } = this.#limits;
    if (s3 === null) return;
    const now = this.now();
    const minute = minuteOf(now);
    const { granted } = await this.counters.take(`s3:${accountId}`, minute, s3);
    if (!granted) throw this.#exceeded('s3', s3, secondsLeft(minute, now));
  }

  /**
   * Counts a listing without a credential: of a public bucket or a shared folder. The network of the client takes the place of the key, with the limit of a route.
   * @throws `RATE_LIMIT_EXCEEDED`.
   */
  async admitListing(address: string): Promise<void> {
    const { route } = this.#limits;
    if (route === null) return;
    const now = this.now();
    const minute = minuteOf(now);
    const { granted } = await this.counters.take(`listing:${networkOf(address)}`, minute, route);
    if (!granted) throw this.#exceeded('route', route, secondsLeft(minute, now));
  }

  #writeHeaders(response: ResponseHeaders, name: string, used: number, limit: number, reset: number): void {
    response.header(`${name}-limit`, String(limit));
    response.header(`${name}-remaining`, String(limit - used));
    response.header(`${name}-reset`, String(reset));
  }

  #exceeded(scope: keyof RateLimits, limit: number, retryAfter: number): BlobError {
    const code = scope === 'day' ? 'DAILY_QUOTA_EXCEEDED' : 'RATE_LIMIT_EXCEEDED';
    return new BlobError(code, `The limit of ${limit} requests is used up.`, {
      details: { scope, limit, used: limit, retry_after: retryAfter },
    });
  }
}

/**
 * Reads `off`, or any of `route=…,minute=…,day=…,s3=…` with a number or `off`.
 * @throws Error that names what is wrong.
 */
export function parseRateLimits(text: string): RateLimits {
  if (text.trim() === 'off') return { route: null, minute: null, day: null, s3: null };
  const limits: RateLimits = {};
  for (const pair of text.split(',')) {
    const match = /^\s*(route|minute|day|s3)\s*=\s*(off|[1-9]\d{0,11})\s*$/.exec(pair);
    if (!match)
      throw new Error(`rate limits read "off" or "route=3000,minute=6000,day=1000000,s3=210000", not ${JSON.stringify(text)}`);
    limits[match[1] as keyof RateLimits] = match[2] === 'off' ? null : Number(match[2]);
  }
  return limits;
}
