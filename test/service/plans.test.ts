// Own process: changes the table of plans.
// Loaded before the tests, because a process of its own loads every module again.
import '../../server/service/core.js';
import '../../server/service/rest/app.js';
import { afterEach, describe, expect, it } from 'vitest';
import type { RateLimits } from '../../server/service/identity/limits/limits.js';
import { PLANS } from '../../server/service/identity/plans.js';
import { untilFreshMinute } from '../support/process-clock.js';
import { signIn } from './session-client.js';
import type { SignedInUser } from './session-client.js';
import { TestService } from './support.js';

// Small budgets. The service builds a query from the table at its first use.
Object.assign(PLANS[0]!, { requestsPerMinute: 50, requestsPerDay: 90 });
Object.assign(PLANS[1]!, { requestsPerMinute: 5, requestsPerDay: 8, storageBytes: 100 });

let service: TestService;
let owner: SignedInUser;
let accountId: string;
let key: string;
afterEach(async () => {
  await service.advanceClock(0);
  await service.stop();
});

/** Starts a service whose clock reaches no full minute within the test, with a user of plan 2. */
async function start(rateLimits: RateLimits = { route: null }): Promise<void> {
  service = await TestService.start({ rateLimits });
  await service.advanceClock(untilFreshMinute());
  owner = await signIn(service);
  const { core } = service.service;
  ({ accountId } = (await core.sessions.authenticate(owner.cookie.split('=')[1]!)).storage);
  await core.write((query) => query.updateTable('users').set({ plan_id: 2 }).where('id', '=', owner.user.id).execute());
  key = (await core.keys.create(accountId, { name: 'k', scopes: ['blob:read', 'blob:write'] })).secret;
}

const list = (credential = key) => service.call('GET', '/v1/files', { credential });
const limitsOf = ({ status, headers }: Awaited<ReturnType<typeof list>>) => [
  status,
  headers.get('x-ratelimit-limit'),
  headers.get('x-ratelimit-remaining'),
  headers.get('x-quota-limit'),
  headers.get('x-quota-remaining'),
];

describe('the plan of an account', () => {
  it('sets its budgets per minute and day, over all of its keys', async () => {
    await start();
    const other = await service.service.core.keys.create(accountId, { name: 'other', scopes: ['blob:read'] });
    for (const [index, secret] of [key, other.secret, key, other.secret, key].entries())
      expect(limitsOf(await list(secret))).toEqual([200, '5', String(4 - index), '8', String(7 - index)]);
    const { status, error } = await list();
    expect([status, error.code, error.details]).toEqual([
      429,
      'RATE_LIMIT_EXCEEDED',
      expect.objectContaining({ scope: 'minute', limit: 5, used: 5, retry_after: expect.any(Number) }),
    ]);
    expect(limitsOf(await list(service.key)).slice(0, 2)).toEqual([200, '50']);
  });

  it('does not count sessions and upload tokens', async () => {
    await start();
    for (let count = 0; count < 12; count++) {
      const { status, headers } = await owner.call('GET', '/v1/files');
      expect([status, headers.get('x-ratelimit-limit'), headers.get('x-quota-limit')]).toEqual([200, null, null]);
    }
    const { response } = await owner.call<{ token: string }>('POST', '/v1/upload-tokens', { body: { max_uses: 5 } });
    for (let count = 0; count < 4; count++)
      expect((await service.upload('x', `${count}.txt`, { credential: response.token })).headers.get('x-quota-limit')).toBe(null);
    expect(limitsOf(await list())).toEqual([200, '5', '4', '8', '7']);
  });

  it('gives a new budget at midnight in America/Fortaleza', async () => {
    await start();
    const now = service.service.core.now();
    const untilMidnight = (time: number) => 86_400_000 - ((time - 3 * 3_600_000) % 86_400_000);
    const used: string[] = [];
    // Each minute of the day has five requests of the day's eight.
    for (const offset of [0, 120_000]) {
      await service.advanceClock(untilFreshMinute() + offset);
      for (let count = 0; count < 5; count++) used.push((await list()).error.code ?? 'granted');
    }
    expect(used.filter((code) => code === 'granted').length).toBe(untilMidnight(now) > 300_000 ? 8 : used.length);
    // `now` is up to a minute ahead of the machine's clock, from which the clock is advanced.
    await service.advanceClock(untilMidnight(now) + 90_000);
    expect((await list()).status).toBe(200);
  });

  it('is unchanged by the limits of the service, which apply to plan 1', async () => {
    await start({ route: null, minute: 3, day: 4 });
    expect(limitsOf(await list())).toEqual([200, '5', '4', '8', '7']);
    expect(limitsOf(await list(service.key))).toEqual([200, '3', '2', '4', '3']);
  });

  it('limits the storage of an account without a quota of its own', async () => {
    await start();
    const put = (path: string, bytes: number) => service.put(path, 'x'.repeat(bytes), { credential: key });
    expect((await put('a.txt', 60)).status).toBe(201);
    const refused = await put('b.txt', 60);
    expect([refused.status, refused.error.code]).toEqual([507, 'STORAGE_FULL']);
    const { response } = await owner.call<{ quota_bytes: number | null }>('GET', '/v1/stats');
    expect(response.quota_bytes).toBe(100);
    await service.service.core.accounts.setQuota(accountId, 1000);
    expect((await put('b.txt', 60)).status).toBe(201);
    expect((await service.call<{ quota_bytes: number | null }>('GET', '/v1/stats')).response.quota_bytes).toBe(null);
  });
});
