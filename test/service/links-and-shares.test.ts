import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { TestService } from './support.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterEach(() => service.advanceClock(0));
afterAll(() => service.stop());

const HOUR = 3_600_000;

interface Link {
  url: string;
  expires_at: string;
}
interface Share {
  id: string;
  url: string;
  has_password: boolean;
  downloads: number;
  max_downloads: number | null;
}

const link = (id: string, body: object = {}) => service.call<Link>('POST', `/v1/files/${id}/links`, { body });

describe('a temporary link', () => {
  it('opens a private file until it expires', async () => {
    const { response: file } = await service.put('links/a b.txt', 'secret');
    const { status, response } = await link(file.id, { expires_in: 3600 });
    expect(status).toBe(201);
    const httpResponse = await fetch(response.url);
    expect([httpResponse.status, await httpResponse.text(), httpResponse.headers.get('cache-control')]).toEqual([
      200,
      'secret',
      'private, no-cache',
    ]);
    await service.advanceClock(HOUR + 1000);
    expect((await fetch(response.url)).status).toBe(404);
  });

  it('lasts an hour by default and a week at most', async () => {
    const { response: file } = await service.put('links/b.txt', 'x');
    const plain = await service.call<Link>('POST', `/v1/files/${file.id}/links`);
    const lasts = Date.parse(plain.response.expires_at) - Date.now();
    expect(lasts).toBeGreaterThan(3_590_000);
    expect(lasts).toBeLessThanOrEqual(3_601_000);
    for (const expires_in of [0, 604_801, 1.5, '60']) expect((await link(file.id, { expires_in })).error.path).toBe('expires_in');
  });

  it('opens nothing while its file is elsewhere', async () => {
    const { response: file } = await service.put('links/moved.txt', 'x');
    const { url } = (await link(file.id)).response;
    const move = (path: string) => service.call('POST', `/v1/files/${file.id}/move`, { body: { path } });
    await move('links/elsewhere.txt');
    for (const address of [url, url.replace('moved.txt', 'elsewhere.txt')]) expect((await fetch(address)).status).toBe(404);
    await move('links/moved.txt');
    expect((await fetch(url)).status).toBe(200);
  });

  it('opens only its own file', async () => {
    const { response: one } = await service.put('links/1.txt', '1');
    const { response: two } = await service.put('links/2.txt', '2');
    const { url } = (await link(one.id)).response;
    for (const forged of [
      url.replace('1.txt', '2.txt'),
      url.replace(/expires=(\d+)/, (_, time) => `expires=${Number(time) + 1}`),
      url.replace(/signature=./, (text) => (text.endsWith('A') ? 'signature=B' : 'signature=A')),
      url.replace(/&signature=.*/, ''),
      url.replace(/&signature=.*/, '&signature='),
    ])
      expect((await fetch(forged)).status).toBe(404);
    // A link does not open a new file at the same path.
    await service.call('DELETE', `/v1/files/${one.id}`);
    await service.call('POST', `/v1/files/${two.id}/move`, { body: { path: 'links/1.txt' } });
    expect((await fetch(url)).status).toBe(404);
  });
});

describe('a share', () => {
  const share = (body: object) => service.call<Share>('POST', '/v1/shares', { body });
  const get = (url: string, headers: Record<string, string> = {}) => fetch(url, { headers });

  it('opens one private file by an unguessable link', async () => {
    await service.put('shares/report.txt', 'numbers');
    const { status, response } = await share({ path: 'shares/report.txt' });
    expect([status, response.url]).toEqual([201, expect.stringMatching(/\/s\/share_[a-z2-7]{26}$/)]);
    const httpResponse = await get(response.url);
    expect([httpResponse.status, await httpResponse.text()]).toEqual([200, 'numbers']);
    expect(httpResponse.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
    expect((await get(`${service.url}/s/share_${'a'.repeat(26)}`)).status).toBe(404);
  });

  it('opens a folder as a list or a page, and only files inside it', async () => {
    await service.put('shares/album/1 <b>&.txt', 'one');
    await service.put('shares/album/deep/2.txt', 'two');
    await service.put('shares/album2/3.txt', 'three');
    const { url } = (await share({ prefix: 'shares/album/' })).response;
    const list = (await (await get(url)).json()) as { response: { folders: string[]; files: { name: string }[] } };
    expect(list.response).toMatchObject({ folders: ['deep'], files: [{ name: '1 <b>&.txt', size: 3 }] });
    const page = await get(url, { Accept: 'text/html' });
    const text = await page.text();
    expect(text).toContain('1 &lt;b&gt;&amp;.txt');
    expect(text).not.toContain('<b>');
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(await (await get(`${url}${encodeURIComponent('1 <b>&.txt')}`)).text()).toBe('one');
    expect(await (await get(`${url}deep/2.txt`)).text()).toBe('two');
    for (const path of ['..%2Falbum2%2F3.txt', '%2e%2e/album2/3.txt', '../album2/3.txt', '3.txt', '..%2f'])
      expect([path, (await get(url + path)).status >= 400]).toEqual([path, true]);
  });

  it('requires its password', async () => {
    await service.put('shares/locked.txt', 'in');
    const { id, url, has_password } = (await share({ path: 'shares/locked.txt', password: 'pässwort' })).response;
    expect(has_password).toBe(true);
    const basic = (password: string) => ({ Authorization: `Basic ${Buffer.from(`anyone:${password}`).toString('base64')}` });
    const locked = await get(url);
    expect([locked.status, locked.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Basic realm=/)]);
    expect((await get(url, basic('wrong'))).status).toBe(401);
    expect(await (await get(url, basic('pässwort'))).text()).toBe('in');
    await service.call('PATCH', `/v1/shares/${id}`, { body: { password: null } });
    expect((await get(url)).status).toBe(200);
  });

  it('limits parallel password attempts over all replicas', async () => {
    await service.put('shares/vault/a.txt', 'gold');
    const one = (await share({ prefix: 'shares/vault', password: 'right' })).response;
    const basic = (password: string) => ({ Authorization: `Basic ${Buffer.from(`x:${password}`).toString('base64')}` });
    // Correct passwords are not counted, even many at once.
    const many = await Promise.all(Array.from({ length: 30 }, () => get(`${one.url}a.txt`, basic('right'))));
    expect(many.map((response) => response.status)).toEqual(many.map(() => 200));
    for (let count = 0; count < 15; count++) expect((await get(`${one.url}a.txt`, basic('right'))).status).toBe(200);
    expect((await get(one.url)).status).toBe(401);
    const guesses = await Promise.all(Array.from({ length: 30 }, (_, at) => get(one.url, basic(`guess ${at}`))));
    const statuses = guesses.map((response) => response.status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
    const refused = guesses.find((response) => response.status === 429)!;
    const { code, details } = (await refused.json()) as { code: string; details: Record<string, number> };
    expect([code, details]).toEqual([
      'RATE_LIMIT_EXCEEDED',
      { scope: 'share', limit: 10, used: 10, retry_after: Number(refused.headers.get('retry-after')) },
    ]);
    expect(details['retry_after']).toBeGreaterThan(0);
    expect(details['retry_after']).toBeLessThanOrEqual(900);
    // The correct password is rejected too. A changed password is not cached on any replica. Other shares are not affected.
    await service.call('PATCH', `/v1/shares/${one.id}`, { body: { password: 'changed' } });
    expect((await get(one.url, basic('changed'))).status).toBe(429);
    const other = (await share({ path: 'shares/vault/a.txt', password: 'right' })).response;
    expect((await get(other.url, basic('right'))).status).toBe(200);
  });

  it('allows ten wrong passwords, also in a burst across two windows', async () => {
    await service.put('shares/quarter.txt', 'x');
    const { url } = (await share({ path: 'shares/quarter.txt', password: 'right' })).response;
    const basic = (password: string) => ({ Authorization: `Basic ${Buffer.from(`x:${password}`).toString('base64')}` });
    const guess = async (from: number, count: number) => {
      const sent = Array.from({ length: count }, (_, at) => get(url, basic(`guess ${from + at}`)));
      return (await Promise.all(sent)).filter((response) => response.status === 401).length;
    };
    const quarter = Math.ceil(Date.now() / 900_000) * 900_000;
    vi.useFakeTimers({ toFake: ['Date'], now: quarter - 1 });
    try {
      const before = await guess(0, 6);
      vi.setSystemTime(quarter + 1);
      expect([before, await guess(100, 200)]).toEqual([6, 4]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('counts downloads and ignores ranges', async () => {
    await service.put('shares/twice.txt', '0123456789');
    const { id, url } = (await share({ path: 'shares/twice.txt', max_downloads: 2 })).response;
    const ranged = await get(url, { Range: 'bytes=1-' });
    expect([ranged.status, await ranged.text()]).toEqual([200, '0123456789']);
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    const httpResponses = await Promise.all(Array.from({ length: 10 }, () => get(url)));
    expect(httpResponses.filter((response) => response.status === 200)).toHaveLength(1);
    expect((await service.call<Share>('GET', `/v1/shares/${id}`)).response).toMatchObject({ downloads: 2, max_downloads: 2 });
  });

  it('ends at its expiry and when it is deleted', async () => {
    await service.put('shares/brief.txt', 'x');
    const brief = (await share({ path: 'shares/brief.txt', expires_at: new Date(Date.now() + HOUR).toISOString() })).response;
    expect((await get(brief.url)).status).toBe(200);
    await service.advanceClock(HOUR + 1000);
    expect((await get(brief.url)).status).toBe(404);
    const other = (await share({ path: 'shares/brief.txt' })).response;
    await service.call('DELETE', `/v1/shares/${other.id}`);
    expect((await get(other.url)).status).toBe(404);
    expect((await service.call('GET', `/v1/shares/${other.id}`)).error.code).toBe('NOT_FOUND');
  });

  it('is not revealed by the log', async () => {
    const lines: string[] = [];
    const write = (...entry: unknown[]) => void lines.push(inspect(entry, { depth: 10 }));
    const logger = { level: 'trace', silent: () => {}, child: () => logger } as unknown as Record<string, unknown>;
    for (const level of ['fatal', 'error', 'warn', 'info', 'debug', 'trace']) logger[level] = write;
    const logging = await TestService.start({ logger: logger as never });
    try {
      await logging.put('shares/a.txt', 'x');
      const body = { prefix: 'shares', max_downloads: 1 };
      const { id, url } = (await logging.call<Share>('POST', '/v1/shares', { body })).response;
      const statuses = [];
      const written = url.replace('share_', '%73hare%5F');
      for (const address of [url, written, `${url}a.txt`, `${url}a.txt`, `${url.slice(0, -1)}?x=1`])
        statuses.push((await get(address)).status);
      expect(statuses).toEqual([200, 200, 200, 404, 404]);
      for (const method of ['GET', 'DELETE', 'GET']) await logging.call(method, `/v1/shares/${id}`);
      const log = lines.join('\n');
      expect(log).toContain(`url: '/s/${id.slice(0, 8)}…/a.txt'`);
      expect(log).not.toContain(id.slice('share_'.length));
    } finally {
      await logging.stop();
    }
  });

  it('is listed page by page', async () => {
    type Page = { shares: Share[]; cursor: string | null };
    const all = (await service.call<Page>('GET', '/v1/shares?limit=1000')).response.shares.map((one) => one.id);
    const first = (await service.call<Page>('GET', '/v1/shares?limit=2')).response;
    const second = (await service.call<Page>('GET', `/v1/shares?limit=2&cursor=${first.cursor}`)).response;
    expect([...first.shares, ...second.shares].map((one) => one.id)).toEqual(all.slice(0, 4));
  });

  it.each([
    [{}, 'path'],
    [{ path: 'a', prefix: 'b' }, 'path'],
    [{ path: '../a' }, 'path'],
    [{ path: 'a', password: '' }, 'password'],
    [{ path: 'a', max_downloads: 0 }, 'max_downloads'],
    [{ path: 'a', expires_at: 'soon' }, 'expires_at'],
    [{ path: 'a', colour: 1 }, 'colour'],
  ])('is rejected with an invalid field: %j', async (body, field) => {
    const httpResponse = await share(body);
    expect([httpResponse.status, httpResponse.error.path]).toEqual([400, field]);
  });
});

it('the listings of shared folders have a limit for each network', async () => {
  const limited = await TestService.start({ rateLimits: { route: 5 } });
  await limited.put('limited/a.txt', 'x');
  const { response } = await limited.call<Share>('POST', '/v1/shares', { body: { prefix: 'limited' } });
  const statuses: number[] = [];
  for (let visit = 0; visit < 12; visit++) statuses.push((await fetch(response.url)).status);
  expect(statuses.filter((status) => status === 200).length).toBeLessThan(12);
  expect(statuses).toContain(429);
  expect((await fetch(`${response.url}a.txt`)).status).toBe(200);
  await limited.stop();
});
