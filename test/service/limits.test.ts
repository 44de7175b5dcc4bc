import { afterEach, describe, expect, it } from 'vitest';
import type { BlobServiceOptions } from '../../server/service/index.js';
import { BACKEND } from './backend.js';
import { untilFreshMinute } from '../support/process-clock.js';
import { TestService } from './support.js';

let service: TestService;
afterEach(async () => {
  await service.advanceClock(0);
  await service.stop();
});

/** Starts a service whose clock reaches no full minute within the test. */
async function start(rateLimits: NonNullable<BlobServiceOptions['rateLimits']>): Promise<void> {
  service = await TestService.start({ rateLimits });
  await service.advanceClock(untilFreshMinute());
}

const list = (credential?: string) => service.call('GET', '/v1/files', credential === undefined ? {} : { credential });

describe('the rate limits', () => {
  it('count the requests of all API keys of an account per minute and return the remaining number', async () => {
    await start({ route: null, minute: 5 });
    for (let remaining = 4; remaining >= 0; remaining--) {
      const { status, headers } = await list();
      expect([status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual([
        200,
        '5',
        String(remaining),
      ]);
      expect(Number(headers.get('x-ratelimit-reset'))).toBeLessThanOrEqual(60);
    }
    const other = await service.newKey(['blob:read']);
    const { status, headers, error } = await list(other.secret);
    expect(status).toBe(429);
    expect(error.code).toBe('RATE_LIMIT_EXCEEDED');
    expect(error.details).toMatchObject({ scope: 'minute', limit: 5, used: 5 });
    expect(headers.get('retry-after')).toBe(String(error.details['retry_after']));
    expect(headers.get('x-ratelimit-remaining')).toBe('0');
    expect(error.details['retry_after']).toBeGreaterThan(0);
  });

  it('include a quota per day', async () => {
    await start({ route: null, day: 3 });
    for (const remaining of ['2', '1', '0']) expect((await list()).headers.get('x-quota-remaining')).toBe(remaining);
    const { status, headers, error } = await list();
    expect([status, error.code, headers.get('x-quota-limit')]).toEqual([429, 'DAILY_QUOTA_EXCEEDED', '3']);
    expect(error.details).toMatchObject({ scope: 'day', limit: 3, used: 3 });
    expect(Number(headers.get('x-quota-reset'))).toBeLessThanOrEqual(86_400);
    expect(headers.get('retry-after')).toBe(headers.get('x-quota-reset'));
  });

  it('are separate for each route', async () => {
    await start({ route: 3 });
    for (let count = 0; count < 3; count++) expect((await list()).status).toBe(200);
    const { error } = await list();
    expect([error.code, error.details['scope']]).toEqual(['RATE_LIMIT_EXCEEDED', 'route']);
    expect((await service.call('GET', '/v1/stats')).status).toBe(200);
  });

  it('count rejected requests and are in the headers of every rejection', async () => {
    await start({ route: null, minute: 4, day: 9 });
    const reader = await service.newKey(['blob:read']);
    const limitsOf = ({ status, headers }: Awaited<ReturnType<typeof list>>) => [
      status,
      headers.get('x-ratelimit-remaining'),
      headers.get('x-quota-remaining'),
    ];
    expect(limitsOf(await service.call('GET', '/v1/stats?workspace_id=w1'))).toEqual([404, '3', '8']);
    expect(limitsOf(await service.put('a.txt', 'x', { credential: reader.secret }))).toEqual([403, '2', '7']);
    expect(limitsOf(await service.call('GET', '/v1/files?limit=0'))).toEqual([400, '1', '6']);
    expect(limitsOf(await list())).toEqual([200, '0', '5']);
    // A request above the limit per minute does not count towards the day.
    for (let times = 0; times < 2; times++) {
      const [status, minute, day] = limitsOf(await list());
      expect([status, minute]).toEqual([429, '0']);
      // A replica that only reads the counter may not know the last request of the other.
      expect(BACKEND === 'replicas' ? ['5', '6'] : ['5']).toContain(day);
    }
  });

  it('report the limits of the account if the limit of a route is exceeded, without counting the request there', async () => {
    await start({ route: 1, minute: 9, day: 9 });
    await list();
    for (let times = 0; times < 2; times++) {
      const { status, headers, error } = await list();
      expect([status, error.details['scope']]).toEqual([429, 'route']);
      expect([headers.get('x-ratelimit-remaining'), headers.get('x-quota-remaining')]).toEqual(['8', '8']);
      expect(headers.get('retry-after')).toBe(headers.get('x-ratelimit-reset'));
    }
  });

  it('count requests with upload tokens only for their routes', async () => {
    await start({ route: 4, minute: 3 });
    const { token } = await service.mint({ max_uses: 10 });
    for (let count = 0; count < 4; count++) {
      const response = await service.upload('x', 'a.txt', { credential: token });
      expect([response.status, response.headers.get('x-ratelimit-limit')]).toEqual([201, null]);
    }
    expect((await service.upload('x', 'a.txt', { credential: token })).error.details['scope']).toBe('route');
    expect((await list()).headers.get('x-ratelimit-remaining')).toBe('1');
  });

  it('are never exceeded by parallel requests through several replicas', async () => {
    await start({ route: null, minute: 700 });
    const statuses: number[] = [];
    for (let round = 0; round < 8; round++)
      statuses.push(...(await Promise.all(Array.from({ length: 100 }, () => list()))).map((response) => response.status));
    const granted = statuses.filter((status) => status === 200).length;
    expect(granted).toBeLessThanOrEqual(700);
    // The other replica may hold an unused lease of a hundredth of the limit.
    expect(granted).toBeGreaterThanOrEqual(BACKEND === 'replicas' ? 693 : 700);
    expect(statuses.filter((status) => status === 429).length).toBe(800 - granted);
  });

  it('lose no unused requests in a restart', async () => {
    await start({ route: null, minute: null, day: 1000 });
    expect((await list()).headers.get('x-quota-remaining')).toBe('999');
    const { dataDir } = service;
    await service.close();
    service = await TestService.start({ dataDir, rateLimits: { route: null, minute: null, day: 1000 } });
    expect((await list()).headers.get('x-quota-remaining')).toBe('998');
  });

  it('can be turned off', async () => {
    await start({ route: null, minute: null, day: null });
    const { status, headers } = await list();
    expect([status, headers.get('x-ratelimit-limit'), headers.get('x-quota-limit')]).toEqual([200, null, null]);
  });
});
