import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UserRecord } from '../../server/service/identity/users/users.js';
import { PasswordHasher } from '../../server/service/identity/users/passwords.js';
import { recordingLogger } from './recording-logger.js';
import { clientWithCookie, signIn } from './session-client.js';
import { TestService } from './support.js';

const PASSWORD = 'violet anchor tunnel';
/** The network of a test, so that tests do not share their limits. */
let networks = 0;
const newNetwork = () => `198.51.100.${++networks}`;

let service: TestService;
/** A hash with the current parameters. */
let currentHash: string;
/** A hash with cheaper parameters. */
let cheapHash: string;

beforeAll(async () => {
  service = await TestService.start({ trustedProxies: ['127.0.0.1'] });
  currentHash = await service.service.core.passwords.hash(PASSWORD);
  cheapHash = await new PasswordHasher({ logN: 9 }).hash(PASSWORD);
}, 60_000);
afterAll(() => service.stop());

interface Options {
  network?: string;
  headers?: Record<string, string>;
  url?: string;
}

async function send(email: string, password: string, { network = newNetwork(), headers, url = service.url }: Options = {}) {
  const response = await fetch(`${url}/v1/sessions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': network, ...headers },
    body: JSON.stringify({ email, password }),
  });
  const json = (await response.json()) as { response: UserRecord; code?: string; details?: object };
  return { status: response.status, ...json, cookies: response.headers.getSetCookie(), headers: response.headers };
}

const cookieOf = (cookies: string[]): string => cookies[0]!.split(';')[0]!;

describe('POST /v1/sessions', () => {
  it('returns the user and sets a cookie that scripts cannot read', async () => {
    const { user } = await signIn(service, { email: 'Ana@Example.org', passwordHash: currentHash });

    const { status, response, cookies, headers } = await send(' ana@example.ORG ', PASSWORD);

    expect([status, response]).toEqual([201, user]);
    expect(cookies).toEqual([expect.stringMatching(/^svc_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(await clientWithCookie(service, cookieOf(cookies)).call('GET', '/v1/users/me')).toMatchObject({
      status: 200,
      response: user,
    });
  }, 60_000);

  it('ignores a planted session id and replaces it', async () => {
    const victim = await signIn(service, { passwordHash: currentHash });
    const planted = `svc_session=${'a'.repeat(43)}`;
    const attacker = await signIn(service);

    for (const cookie of [planted, attacker.cookie]) {
      const { cookies } = await send(victim.user.email, PASSWORD, { headers: { Cookie: cookie } });
      expect(cookieOf(cookies)).not.toBe(cookie);
      const { response } = await clientWithCookie(service, cookieOf(cookies)).call<UserRecord>('GET', '/v1/users/me');
      expect(response.id).toBe(victim.user.id);
    }

    expect(await clientWithCookie(service, planted).call('GET', '/v1/users/me')).toMatchObject({ status: 401 });
    // The session of the replaced cookie ends too. No sign-out could end it any more.
    expect(await attacker.call('GET', '/v1/users/me')).toMatchObject({ status: 401 });
  }, 60_000);

  it('counts successes, failures and limited attempts in the metrics', async () => {
    const { user } = await signIn(service, { passwordHash: currentHash });
    const network = newNetwork();
    const counts = async () => {
      const text = await (await fetch(`${service.ownUrl}/metrics`)).text();
      const count = (result: string) =>
        Number(new RegExp(`^svc_sign_ins_total\\{result="${result}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
      return ['success', 'failure', 'limited'].map(count) as [number, number, number];
    };
    const url = service.ownUrl;
    const [successes, failures, limited] = await counts();

    await send(user.email, PASSWORD, { network, url });
    for (let attempt = 0; attempt < 11; attempt++) await send(user.email, 'wrong password', { network, url });

    expect(await counts()).toEqual([successes + 1, failures + 10, limited + 1]);
  }, 60_000);

  it('replaces a hash whose parameters are outdated', async () => {
    const { user } = await signIn(service, { passwordHash: cheapHash });

    expect((await send(user.email, PASSWORD)).status).toBe(201);

    const stored = (await service.service.core.users.findById(user.id))!.password_hash;
    expect(stored).toMatch(/^\$scrypt\$ln=10,/);
    expect((await send(user.email, PASSWORD)).status).toBe(201);
  }, 60_000);

  it('has the same response and computes as many hashes for an unknown user, a wrong password and a disabled user', async () => {
    const known = await signIn(service, { passwordHash: currentHash });
    const disabled = await signIn(service, { passwordHash: currentHash });
    const { core } = service.service;
    await core.write((query) => query.updateTable('users').set({ disabled_at: 1 }).where('id', '=', disabled.user.id).execute());
    const measure = async (email: string, password: string) => {
      const before = core.passwords.computed;
      const { status, code, details, cookies, ...rest } = await send(email, password, { url: service.ownUrl });
      return {
        status,
        code,
        details,
        cookies,
        message: (rest as { message?: string }).message,
        hashes: core.passwords.computed - before,
      };
    };

    const expected = await measure(known.user.email, 'wrong password');

    expect(expected).toMatchObject({ status: 401, code: 'INVALID_CREDENTIALS', cookies: [], hashes: 1 });
    expect(await measure('nobody@example.org', 'wrong password')).toEqual(expected);
    expect(await measure(disabled.user.email, PASSWORD)).toEqual(expected);
  }, 60_000);

  it('is refused without a write while too many hashes wait', async () => {
    const { core } = service.service;
    const network = newNetwork();
    const hashes = Array.from({ length: 50 }, () => core.passwords.hash(PASSWORD));
    const refused = core.signIns.signIn({ email: 'nobody@example.org', password: PASSWORD }, { ip: network, userAgent: 'test' });

    await expect(refused).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', details: { retry_after: 5 } });
    await Promise.allSettled(hashes);
    const counted = await core.write((query) =>
      query.selectFrom('counters').select('id').where('id', 'like', `%:${network}`).execute(),
    );
    expect(counted).toEqual([]);
  });

  it('compares ten wrong passwords of a network for an account, on all replicas together, and then still serves other networks', async () => {
    const { user } = await signIn(service, { passwordHash: cheapHash });
    const network = newNetwork();

    const guesses = await Promise.all(Array.from({ length: 30 }, (_, n) => send(user.email, `wrong ${n}`, { network })));

    const count = (status: number) => guesses.filter((guess) => guess.status === status).length;
    expect([count(401), count(429)]).toEqual([10, 20]);
    const refused = await send(user.email, PASSWORD, { network });
    expect(refused).toMatchObject({ status: 429, code: 'RATE_LIMIT_EXCEEDED', details: { scope: 'sign_in', limit: 10 } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(600);
    expect((await send(user.email, PASSWORD, { network: newNetwork() })).status).toBe(201);
  }, 60_000);

  it('limits attempts on unknown users like those on users', async () => {
    const network = newNetwork();
    const { core } = service.service;
    // Counted attempts stand for requests, because each costs a slow hash.
    for (let n = 0; n < 10; n++) await core.signIns.countAttempt('nobody-here@example.org', network);

    expect(await send('Nobody-here@example.org', 'wrong', { network })).toMatchObject({ status: 429, details: { limit: 10 } });
  });

  it('limits the attempts of a network on all accounts together', async () => {
    const network = newNetwork();
    const { core } = service.service;
    for (let n = 0; n < 100; n++) await core.signIns.countAttempt(`somebody-${n}@example.org`, network);

    expect(await send('another@example.org', 'wrong', { network })).toMatchObject({ status: 429, details: { limit: 100 } });
  });

  it.each([
    ['null', { Origin: 'null' }],
    ['another port', { Origin: 'http://127.0.0.1:1' }],
    ['another site', { Origin: 'https://evil.example' }],
    ['none, but a browser says that another site sent it', { 'Sec-Fetch-Site': 'cross-site' }],
  ])('refuses to sign in for a page whose origin is %s', async (_, headers) => {
    expect(await send('nobody@example.org', PASSWORD, { headers })).toMatchObject({
      status: 403,
      code: 'ORIGIN_DENIED',
      cookies: [],
    });
  });

  it.each(['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain'])(
    'refuses a body that a form can send: %s',
    async (type) => {
      const response = await fetch(`${service.url}/v1/sessions`, {
        method: 'POST',
        headers: { 'Content-Type': type },
        body: JSON.stringify({ email: 'a@example.org', password: PASSWORD }),
      });

      expect([response.status, response.headers.getSetCookie()]).toEqual([400, []]);
    },
  );

  it('records sign-ins and failures, without the email of an unknown user', async () => {
    const { user } = await signIn(service, { passwordHash: currentHash });
    await send(user.email, PASSWORD, { network: '203.0.113.9' });
    await send(user.email, 'wrong password', { network: '203.0.113.9' });
    await send('my-password-by-mistake', 'x', { network: '203.0.113.9' });

    const rows = await service.service.core.write((query) =>
      query.selectFrom('activities').selectAll().where('details_json', 'like', '%203.0.113.9%').orderBy('created_at').execute(),
    );

    expect(
      rows.map(({ action, status, origin, target_id, author_id }) => ({ action, status, origin, target_id, author_id })),
    ).toEqual([
      { action: 'user.signed_in', status: 'success', origin: 'user', target_id: user.id, author_id: user.id },
      { action: 'user.sign_in_failed', status: 'failure', origin: 'user', target_id: user.id, author_id: null },
      { action: 'user.sign_in_failed', status: 'failure', origin: 'user', target_id: null, author_id: null },
    ]);
    expect(JSON.stringify(rows)).not.toContain('by-mistake');
  }, 60_000);
});

describe('a sign-in at a public address', () => {
  it('sets a cookie for https only, with the prefix __Host-', async () => {
    const secure = await TestService.start({ publicUrl: 'https://files.example.org' });
    try {
      const { user } = await signIn(secure, { passwordHash: currentHash });
      const { cookies } = await send(user.email, PASSWORD, { url: secure.url, headers: { Origin: 'https://files.example.org' } });
      expect(cookies).toEqual([
        expect.stringMatching(/^__Host-svc_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
      ]);
    } finally {
      await secure.stop();
    }
  }, 60_000);

  it('is refused over http', async () => {
    const insecure = await TestService.start({ publicUrl: 'http://files.example.org' });
    try {
      const refused = await send('ana@example.org', PASSWORD, { url: insecure.url });
      expect(refused).toMatchObject({ status: 403, code: 'FORBIDDEN', message: expect.stringContaining('https'), cookies: [] });
    } finally {
      await insecure.stop();
    }
  });
});

describe('the log of the service', () => {
  it('contains no password, no cookie and no link', async () => {
    const log = recordingLogger();
    const logged = await TestService.start({ logger: log.logger });
    try {
      const admin = await signIn(logged, { isAdmin: true, passwordHash: currentHash });
      const { cookies } = await send(admin.user.email, PASSWORD, { url: logged.url });
      await send(admin.user.email, 'my wrong password', { url: logged.url });
      const { response } = await admin.call<{ url: string }>('POST', '/v1/users/invitations', {
        body: { email: 'new@example.org' },
      });
      const code = response.url.split('#')[1]!;
      await fetch(`${logged.url}/invitation`, {
        method: 'POST',
        body: new URLSearchParams({ code, name: 'X', password: 'short' }),
      });
      const text = log.text();
      expect(text).toContain('/v1/sessions');
      for (const secret of [PASSWORD, 'my wrong password', cookieOf(cookies).split('=')[1]!, admin.cookie.split('=')[1]!, code])
        expect(text).not.toContain(secret);
    } finally {
      await logged.stop();
    }
  }, 60_000);
});
