import { BlobError } from '../../../../src/protocol/errors.js';
import { networkOf } from '../../runtime/ip-addresses.js';
import type { Actor } from '../authenticate.js';
import type { Counters } from './counters.js';
import { DEFAULT_PLAN_ID, planOf } from '../plans.js';
import { dayOf, minuteOf } from './windows.js';
import type { Window } from './windows.js';

/** Numbers of requests. null: no limit. */
export interface RateLimits {
  /** Per minute, for each route with one key or token, and for anonymous listings (public buckets, shared folders) from one network. @default 3000 */
  route?: number | null;
  /** Per minute, for all requests of an account with API keys. Replaces the number of plan 1. @default the account's plan, see plans.ts */
  minute?: number | null;
  /** Per calendar day in America/Fortaleza, for all requests of an account with API keys. Replaces the number of plan 1. @default the account's plan */
  day?: number | null;
  /** Per minute, for all requests of an account with S3 key pairs. @default 210000, the 3,500 per second of AWS S3 */
  s3?: number | null;
}

/** Receives response headers. A Fastify reply has this form. */
export interface ResponseHeaders {
  header(name: string, value: string): unknown;
}

/** Upload tokens per minute for visitors of one network. A page needs one for up to 100 files. */
const VISITOR_TOKENS = 60;

const DEFAULTS = { route: 3000, s3: 210_000 } as const;

/** A limit that applies to a request, and the counter of its current window. */
interface AppliedLimit {
  scope: keyof RateLimits;
  /** Null: no limit. */
  limit: number | null;
  counter: string;
  window: Window;
  /** The prefix of the response headers that report it. */
  header?: string;
}

const secondsLeft = (window: Window, now: number): number => Math.max(1, Math.ceil((window.end - now) / 1000));

/** Enforces the rate limits of all requests. Upload tokens and sessions count only towards the limit of their routes. */
export class Limits {
  readonly #limits: RateLimits & Required<Pick<RateLimits, 'route' | 's3'>>;
  #day: Window | undefined;

  constructor(
    private readonly counters: Counters,
    limits: RateLimits,
    private readonly now: () => number,
  ) {
    this.#limits = { ...DEFAULTS, ...limits };
  }

  /**
   * Counts an authenticated request and writes the headers that report its limits. If a limit is exceeded, the following ones are not counted.
   * @throws `RATE_LIMIT_EXCEEDED`, `DAILY_QUOTA_EXCEEDED` with `details` `{scope, limit, used, retry_after}`.
   */
  async countRequest(actor: Actor, route: string, response: ResponseHeaders): Promise<void> {
    const now = this.now();
    let exceeded: BlobError | undefined;
    for (const { scope, limit, counter, window, header } of this.#appliedLimits(actor, route, now)) {
      if (limit === null) continue;
      const { granted, used } = exceeded
        ? { granted: true, used: await this.counters.read(counter, window, limit) }
        : await this.counters.increment(counter, window, limit);
      if (header !== undefined) this.#writeHeaders(response, header, used, limit, secondsLeft(window, now));
      if (!granted) exceeded = this.#exceededError(scope, limit, secondsLeft(window, now));
    }
    if (exceeded) throw exceeded;
  }

  #appliedLimits({ credential, storage, planId = DEFAULT_PLAN_ID }: Actor, route: string, now: number): AppliedLimit[] {
    const minute = minuteOf(now);
    const { id, kind } = credential;
    const routeLimit: AppliedLimit = {
      scope: 'route',
      limit: this.#limits.route,
      counter: `route:${id}:${route}`,
      window: minute,
    };
    if (kind !== 'key') return [routeLimit];
    const { accountId } = storage;
    const perPlan = this.#limitsOfPlan(planId);
    if (!this.#day || now >= this.#day.end || now < this.#day.start) this.#day = dayOf(now);
    return [
      routeLimit,
      { scope: 'minute', limit: perPlan.minute, counter: `minute:${accountId}`, window: minute, header: 'x-ratelimit' },
      { scope: 'day', limit: perPlan.day, counter: `day:${accountId}`, window: this.#day, header: 'x-quota' },
    ];
  }

  /** Returns the limits of an account by its plan. The options of the service replace those of the default plan. */
  #limitsOfPlan(planId: number): { minute: number | null; day: number | null } {
    const { id, requestsPerMinute, requestsPerDay } = planOf(planId);
    const { minute = requestsPerMinute, day = requestsPerDay } = id === DEFAULT_PLAN_ID ? this.#limits : {};
    return { minute, day };
  }

  /**
   * Counts a signed S3 request. The limits per minute and day apply only to API keys, so key pairs have a separate limit.
   * @throws `RATE_LIMIT_EXCEEDED`.
   */
  async countS3Request(accountId: string): Promise<void> {
    const { s3 } = this.#limits;
    if (s3 === null) return;
    const now = this.now();
    const minute = minuteOf(now);
    const { granted } = await this.counters.increment(`s3:${accountId}`, minute, s3);
    if (!granted) throw this.#exceededError('s3', s3, secondsLeft(minute, now));
  }

  /**
   * Counts an anonymous listing of a public bucket or a shared folder towards the route limit of the client's network.
   * @throws `RATE_LIMIT_EXCEEDED`.
   */
  async countListing(address: string): Promise<void> {
    const { route } = this.#limits;
    if (route === null) return;
    const now = this.now();
    const minute = minuteOf(now);
    const { granted } = await this.counters.increment(`listing:${networkOf(address)}`, minute, route);
    if (!granted) throw this.#exceededError('route', route, secondsLeft(minute, now));
  }

  /** Counts an upload token that a page issues to a visitor. @throws `RATE_LIMIT_EXCEEDED` for too many to one network. */
  async countVisitorToken(address: string): Promise<void> {
    const now = this.now();
    const minute = minuteOf(now);
    const { granted } = await this.counters.increment(`visitor:${networkOf(address)}`, minute, VISITOR_TOKENS);
    if (!granted) throw this.#exceededError('route', VISITOR_TOKENS, secondsLeft(minute, now));
  }

  #writeHeaders(response: ResponseHeaders, name: string, used: number, limit: number, reset: number): void {
    response.header(`${name}-limit`, String(limit));
    response.header(`${name}-remaining`, String(limit - used));
    response.header(`${name}-reset`, String(reset));
  }

  #exceededError(scope: keyof RateLimits, limit: number, retryAfter: number): BlobError {
    const code = scope === 'day' ? 'DAILY_QUOTA_EXCEEDED' : 'RATE_LIMIT_EXCEEDED';
    return new BlobError(code, `The limit of ${limit} requests is exceeded. Try again in ${retryAfter} seconds.`, {
      details: { scope, limit, used: limit, retry_after: retryAfter },
    });
  }
}

/**
 * Parses `off`, or any of `route=…,minute=…,day=…,s3=…` with a number or `off`.
 * @throws Error for any other text.
 */
export function parseRateLimits(text: string): RateLimits {
  if (text.trim() === 'off') return { route: null, minute: null, day: null, s3: null };
  const limits: RateLimits = {};
  for (const pair of text.split(',')) {
    const match = /^\s*(route|minute|day|s3)\s*=\s*(off|[1-9]\d{0,11})\s*$/.exec(pair);
    if (!match)
      throw new Error(
        `The rate limits must be "off" or like "route=3000,minute=6000,day=1000000,s3=210000"; got ${JSON.stringify(text)}.`,
      );
    limits[match[1] as keyof RateLimits] = match[2] === 'off' ? null : Number(match[2]);
  }
  return limits;
}
