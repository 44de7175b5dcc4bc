import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_CREATOR } from '../../server/service/identity/creator.js';
import { PasswordHasher } from '../../server/service/identity/users/passwords.js';
import { signIn } from './session-client.js';
import type { SignedInUser } from './session-client.js';
import { TestService } from './support.js';

const PASSWORD = 'violet anchor tunnel';
let service: TestService;
let cheapHash: string;

beforeAll(async () => {
  service = await TestService.start();
  cheapHash = await new PasswordHasher({ logN: 9 }).hash(PASSWORD);
});
afterAll(() => service.stop());

/** Starts another session of a user. */
async function secondSession({ user }: SignedInUser): Promise<string> {
  const { core } = service.service;
  return `svc_session=${await core.write((query) => core.sessions.start(query, user.id, { ip: '203.0.113.7', userAgent: 'phone' }))}`;
}

/** The status of a request with a cookie, which each replica must agree on. */
async function statusesWith(cookie: string): Promise<number[]> {
  const statuses = new Set<number>();
  for (let n = 0; n < 4; n++)
    statuses.add((await service.call('GET', '/v1/users/me', { credential: null, headers: { Cookie: cookie } })).status);
  return [...statuses];
}

describe('/v1/users/me', () => {
  it('returns and changes the profile', async () => {
    const ana = await signIn(service, { name: 'Ana' });

    const body = { name: '  Ana Lima ', language: 'pt-br', workspace_invites_enabled: false };
    const { status, response } = await ana.call('PATCH', '/v1/users/me', { body });

    expect([status, response]).toEqual([
      200,
      { ...ana.user, name: 'Ana Lima', language: 'pt-br', workspace_invites_enabled: false, updated_at: expect.any(String) },
    ]);
    expect((await ana.call('GET', '/v1/users/me')).response).toEqual(response);
  });

  it.each([
    {},
    { language: 'fr-fr' },
    { language: 1 },
    { name: '' },
    { name: '   ' },
    { name: 'a\u0007' },
    { workspace_invites_enabled: 'yes' },
    { email: 'other@example.org' },
    { is_admin: true },
    [],
  ])('refuses the change %j as INVALID_PAYLOAD', async (body) => {
    const ana = await signIn(service);

    const { status, error } = await ana.call('PATCH', '/v1/users/me', { body });

    expect([status, error.code]).toEqual([400, 'INVALID_PAYLOAD']);
    expect((await ana.call('GET', '/v1/users/me')).response).toEqual(ana.user);
  });

  it('is not found for a key of an account without a user', async () => {
    const { core } = service.service;
    await core.accounts.ensure('lonely');
    const { secret } = await core.keys.create('lonely', { name: 'key', scopes: ['account:read', 'account:write'] });

    for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }]] as const)
      expect(await service.call(method, '/v1/users/me', { credential: secret, ...(body && { body }) })).toMatchObject({
        status: 404,
        error: { code: 'USER_NOT_FOUND' },
      });
  });
});

describe('a request with a session', () => {
  it.each([
    ['missing', {}],
    ['null', { Origin: 'null' }],
    ['another port', { Origin: 'http://127.0.0.1:1' }],
    ['another scheme', { Origin: 'https://127.0.0.1' }],
    ['a subdomain', { Origin: 'http://evil.127.0.0.1' }],
    ['another site', { Origin: 'https://evil.example' }],
  ] as [string, Record<string, string>][])('is refused with an unsafe method if its origin is %s', async (_, headers) => {
    const ana = await signIn(service);

    const { status, error } = await service.call('PATCH', '/v1/users/me', {
      credential: null,
      headers: { Cookie: ana.cookie, ...headers },
      body: { name: 'Mallory' },
    });

    expect([status, error.code]).toEqual([403, 'ORIGIN_DENIED']);
    expect((await ana.call('GET', '/v1/users/me')).response).toEqual(ana.user);
  });

  it.each(['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain'])(
    'is refused with a body that forms of other sites can send: %s',
    async (type) => {
      const ana = await signIn(service);

      // This route stores bodies of every type.
      const { status, error } = await service.call('PUT', '/v1/files/form.txt', {
        credential: null,
        headers: { Cookie: ana.cookie, Origin: new URL(service.url).origin, 'Content-Type': type },
        body: 'a=b',
      });

      expect([status, error.path]).toEqual([400, 'content-type']);
      expect((await ana.call('GET', '/v1/files')).response).toMatchObject({ files: [] });
    },
  );
});

describe('sessions of a user', () => {
  it('are listed without secrets, with the current one marked', async () => {
    const ana = await signIn(service);
    const other = await secondSession(ana);

    const { response } = await ana.call<{ current: boolean }[]>('GET', '/v1/users/me/sessions');

    expect(response).toHaveLength(2);
    expect(response.filter(({ current }) => current)).toEqual([
      {
        id: expect.stringMatching(/^ses_/),
        current: true,
        ip: '127.0.0.1',
        user_agent: 'test',
        created_at: expect.any(String),
        last_used_at: expect.any(String),
      },
    ]);
    for (const cookie of [ana.cookie, other]) expect(JSON.stringify(response)).not.toContain(cookie.split('=')[1]);
  });

  it('end on every replica at the sign-out, which clears the cookie', async () => {
    const ana = await signIn(service);
    expect(await statusesWith(ana.cookie)).toEqual([200]);

    const { status, headers } = await ana.call('DELETE', '/v1/sessions/current');

    expect(status).toBe(200);
    expect(headers.getSetCookie()).toEqual([expect.stringMatching(/^svc_session=; .*Expires=Thu, 01 Jan 1970/)]);
    expect(await statusesWith(ana.cookie)).toEqual([401]);
  });

  it('end on every replica, all but the current one', async () => {
    const ana = await signIn(service);
    const others = [await secondSession(ana), await secondSession(ana)];
    const stranger = await signIn(service);

    expect((await ana.call('DELETE', '/v1/users/me/sessions')).status).toBe(200);

    for (const cookie of others) expect(await statusesWith(cookie)).toEqual([401]);
    expect([await statusesWith(ana.cookie), await statusesWith(stranger.cookie)]).toEqual([[200], [200]]);
  });

  it('end one by one, but not those of other users', async () => {
    const ana = await signIn(service);
    const other = await secondSession(ana);
    const ben = await signIn(service);
    const { response } = await ana.call<{ id: string; current: boolean }[]>('GET', '/v1/users/me/sessions');
    const { id } = response.find(({ current }) => !current)!;

    expect((await ben.call('DELETE', `/v1/users/me/sessions/${id}`)).status).toBe(404);
    expect(await statusesWith(other)).toEqual([200]);
    expect((await ana.call('DELETE', `/v1/users/me/sessions/${id}`)).status).toBe(200);
    expect(await statusesWith(other)).toEqual([401]);
  });
});

describe('the hundred sessions of a user', () => {
  it('include the newest sign-in, for which the session that was used longest ago ends', async () => {
    const ana = await signIn(service);
    const { core } = service.service;
    const client = { ip: '127.0.0.1', userAgent: 'test' };
    await service.advanceClock(60_000);
    const [first, ...others] = await core.write(async (query) => {
      const secrets: string[] = [];
      for (let n = 0; n < 99; n++) secrets.push(await core.sessions.start(query, ana.user.id, client));
      return secrets;
    });
    expect(await statusesWith(ana.cookie)).toEqual([200]);

    await core.write((query) => core.sessions.start(query, ana.user.id, client));

    expect(await statusesWith(ana.cookie)).toEqual([401]);
    for (const secret of [first, others.at(-1)]) expect(await statusesWith(`svc_session=${secret}`)).toEqual([200]);
    await service.advanceClock(0);
  });
});

describe('a session', () => {
  const DAY = 86_400_000;

  it('ends after 14 days without a request, and 30 days after the sign-in', async () => {
    const [unused, used] = [await signIn(service), await signIn(service)];
    const atDay = async (day: number, { cookie }: SignedInUser) => {
      await service.advanceClock(day * DAY);
      return statusesWith(cookie);
    };
    try {
      expect(await atDay(13, used)).toEqual([200]);
      expect(await atDay(14, unused)).toEqual([401]);
      for (const day of [26, 29]) expect(await atDay(day, used)).toEqual([200]);
      expect(await atDay(30, used)).toEqual([401]);
    } finally {
      await service.advanceClock(0);
    }
  });
});

describe('POST /v1/users/me/password', () => {
  it('changes the password and ends the other sessions if asked to', async () => {
    const ana = await signIn(service, { passwordHash: cheapHash });
    const other = await secondSession(ana);
    const change = (current_password: string, password: string, more = {}) =>
      ana.call('POST', '/v1/users/me/password', { body: { current_password, password, ...more } });

    expect((await change('not my password', 'golden river seven')).error.code).toBe('INVALID_CREDENTIALS');
    expect((await change(PASSWORD, 'sunshine')).error).toMatchObject({ code: 'VALIDATION_ERROR', path: 'password' });
    expect(await statusesWith(other)).toEqual([200]);
    expect((await change(PASSWORD, 'golden river seven', { end_other_sessions: true })).status).toBe(200);

    expect([await statusesWith(other), await statusesWith(ana.cookie)]).toEqual([[401], [200]]);
    const stored = (await service.service.core.users.findById(ana.user.id))!.password_hash;
    expect((await service.service.core.passwords.compare('golden river seven', stored)).isCorrect).toBe(true);
  }, 60_000);

  it('limits wrong current passwords like sign-ins', async () => {
    const ana = await signIn(service, { passwordHash: cheapHash });
    const guess = (n: number) =>
      ana.call('POST', '/v1/users/me/password', { body: { current_password: `wrong ${n}`, password: 'golden river seven' } });

    const statuses = (await Promise.all(Array.from({ length: 15 }, (_, n) => guess(n)))).map(({ status }) => status);

    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(5);
  }, 60_000);
});

describe('a reset of a password', () => {
  it('refuses a common password and changes nothing', async () => {
    const ana = await signIn(service);
    const reset = service.service.core.userPasswords.reset(ana.user.id, ADMIN_CREATOR, 'sunshine');

    await expect(reset).rejects.toMatchObject({ code: 'VALIDATION_ERROR', path: 'password' });
    expect(await statusesWith(ana.cookie)).toEqual([200]);
  });
});

describe('a disabled user', () => {
  it('loses sessions, keys and upload tokens at once; enabling brings the keys back', async () => {
    const { core } = service.service;
    const ana = await signIn(service);
    const { account_id: accountId } = (await core.users.findById(ana.user.id))!;
    const key = await core.keys.create(accountId, { name: 'key', scopes: ['blob:read', 'blob:write'] });
    const token = await service.call<{ token: string }>('POST', '/v1/upload-tokens', { credential: key.secret, body: {} });
    const stats = () => service.call('GET', '/v1/stats', { credential: key.secret });
    const upload = () => service.call('GET', '/v1/upload-tokens/self', { credential: token.response.token });
    expect([(await stats()).status, (await upload()).status]).toEqual([200, 200]);

    expect(await core.userStatus.disable(ana.user.id, ADMIN_CREATOR)).toBe(true);

    expect(await statusesWith(ana.cookie)).toEqual([401]);
    expect([(await stats()).error.code, (await upload()).error.code]).toEqual(['API_KEY_INVALID', 'BLOB_UPLOAD_TOKEN_INVALID']);
    expect(await core.userStatus.disable(ana.user.id, ADMIN_CREATOR)).toBe(false);
    expect(await core.userStatus.enable(ana.user.id, ADMIN_CREATOR)).toBe(true);
    expect([(await stats()).status, (await upload()).status]).toEqual([200, 401]);
    expect(await statusesWith(ana.cookie)).toEqual([401]);
  });

  it('cannot prevent it with more upload tokens than one transaction can lock', async () => {
    const { core } = service.service;
    const ana = await signIn(service);
    const { response } = await ana.call<{ id: string; token: string }>('POST', '/v1/upload-tokens', { body: {} });
    await core.write(async (query) => {
      const row = await query.selectFrom('upload_tokens').selectAll().where('id', '=', response.id).executeTakeFirstOrThrow();
      // PostgreSQL has room for 6,400 locks unless it is configured otherwise.
      for (let batch = 0; batch < 40; batch++)
        await query
          .insertInto('upload_tokens')
          .values(
            Array.from({ length: 500 }, (_, n) => ({ ...row, id: `${row.id}-${batch}-${n}`, secret_hash: `${batch}-${n}` })),
          )
          .execute();
    });

    expect(await core.userStatus.disable(ana.user.id, ADMIN_CREATOR)).toBe(true);

    const self = await service.call('GET', '/v1/upload-tokens/self', { credential: response.token });
    expect(self.error.code).toBe('BLOB_UPLOAD_TOKEN_INVALID');
  }, 60_000);
});
