import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_CREATOR } from '../../server/service/identity/creator.js';
import { safeNextPath } from '../../server/service/rest/next-path.js';
import { preferredLanguage } from '../../server/service/rest/pages/texts.js';
import { clientWithCookie, signIn } from './session-client.js';
import { TestService } from './support.js';

const PASSWORD = 'violet anchor tunnel';
let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service.stop());

/** Sends a form as a page of the service does. */
async function submit(path: string, fields: Record<string, string>, headers: Record<string, string> = {}, target = service) {
  const response = await fetch(target.url + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { Origin: new URL(target.url).origin, ...headers },
    body: new URLSearchParams(fields),
  });
  return {
    status: response.status,
    location: response.headers.get('location'),
    cookies: response.headers.getSetCookie(),
    text: await response.text(),
  };
}

/** Calls `work` with a service without users. */
async function withFreshService(work: (fresh: TestService) => Promise<void>): Promise<void> {
  const fresh = await TestService.start();
  try {
    await work(fresh);
  } finally {
    await fresh.stop();
  }
}

const admin = { name: 'Ana', email: 'ana@example.org', password: PASSWORD };

describe('/setup', () => {
  it(
    'creates one administrator of 50 parallel claims, who takes over the account main, and is gone afterwards',
    () =>
      withFreshService(async (fresh) => {
        const { core } = fresh.service;
        const code = (await core.firstAdministrator.renewLink())!;
        expect((await fetch(`${fresh.url}/setup`)).status).toBe(200);

        const claims = await Promise.all(
          Array.from({ length: 50 }, (_, n) => submit('/setup', { ...admin, code, email: `ana-${n}@example.org` }, {}, fresh)),
        );

        expect(claims.filter(({ status }) => status === 303)).toHaveLength(1);
        const users = await core.users.list();
        expect(users).toEqual([expect.objectContaining({ is_admin: true })]);
        expect((await core.users.findById(users[0]!.id))!.account_id).toBe('main');
        const { cookies } = claims.find(({ status }) => status === 303)!;
        const client = clientWithCookie(fresh, cookies[0]!.split(';')[0]!);
        await fresh.put('kept.txt', 'kept');
        expect((await client.call<{ files: unknown[] }>('GET', '/v1/files')).response.files).toHaveLength(1);
        expect((await fetch(`${fresh.url}/setup`)).status).toBe(404);
        expect((await submit('/setup', { ...admin, code }, {}, fresh)).status).toBe(404);
        expect(await core.firstAdministrator.renewLink()).toBeUndefined();
      }),
    120_000,
  );

  it(
    'refuses codes that are wrong, replaced, of an invitation or older than 30 minutes, and computes no hash for them',
    () =>
      withFreshService(async (fresh) => {
        const { core } = fresh.service;
        const replaced = (await core.firstAdministrator.renewLink())!;
        const code = (await core.firstAdministrator.renewLink())!;
        const { secret: invitation } = await core.invitations.create(ADMIN_CREATOR, { email: 'ben@example.org' });
        for (const wrong of ['', 'wrong', replaced, invitation])
          expect(await submit('/setup', { ...admin, code: wrong }, {}, fresh)).toMatchObject({ status: 404, cookies: [] });
        await fresh.advanceClock(30 * 60_000);
        try {
          expect((await submit('/setup', { ...admin, code }, {}, fresh)).status).toBe(404);
        } finally {
          await fresh.advanceClock(0);
        }
        expect([core.passwords.computed, await core.users.list()]).toEqual([0, []]);
      }),
    60_000,
  );

  it('refuses a valid code once a user exists', () =>
    withFreshService(async (fresh) => {
      const { core } = fresh.service;
      const code = (await core.firstAdministrator.renewLink())!;
      await signIn(fresh);

      // The route refuses the request before. This is a claim that began earlier.
      await expect(core.firstAdministrator.claim(code, admin)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect(await core.users.list()).toHaveLength(1);
    }));

  it(
    'shows what is wrong beside the field, and keeps what was typed except the password',
    () =>
      withFreshService(async (fresh) => {
        const code = (await fresh.service.core.firstAdministrator.renewLink())!;

        const { status, text } = await submit('/setup', { ...admin, name: '<Ana & "B">', password: 'sunshine', code }, {}, fresh);

        expect(status).toBe(400);
        expect(text).toContain('Many people use this password');
        expect(text).toMatch(/<input[^>]+name="password"[^>]+aria-describedby="password-error"[^>]+aria-invalid="true"/);
        expect(text).toContain('value="&lt;Ana &amp; &quot;B&quot;&gt;"');
        expect(text).toContain(`<input type="hidden" name="code" value="${code}" />`);
        expect(text).not.toContain('sunshine');
      }),
    60_000,
  );
});

describe('pages with forms', () => {
  it.each(['/sign-in', '/invitation'])('%s cannot be framed, cached or scripted', async (path) => {
    const { status, headers } = await fetch(service.url + path);

    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; .*frame-ancestors 'none'$/,
    );
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    // With no-referrer, browsers would send the form with `Origin: null`.
    expect(headers.get('referrer-policy')).toBe('same-origin');
  });

  it.each([
    ['missing', undefined],
    ['null', 'null'],
    ['another port', 'http://127.0.0.1:1'],
    ['another site', 'https://evil.example'],
  ])(
    'accept no form whose origin is %s',
    async (_, origin) => {
      const ana = await signIn(service, { passwordHash: await service.service.core.passwords.hash(PASSWORD) });
      const request = async (path: string, fields: Record<string, string>) =>
        fetch(service.url + path, {
          method: 'POST',
          redirect: 'manual',
          headers: { Cookie: ana.cookie, ...(origin !== undefined && { Origin: origin }) },
          body: new URLSearchParams(fields),
        });

      for (const [path, fields] of [
        ['/sign-in', { email: ana.user.email, password: PASSWORD }],
        ['/invitation', { code: 'x', name: 'x', password: PASSWORD }],
        ['/sign-out', {}],
      ] as [string, Record<string, string>][]) {
        const response = await request(path, fields);
        expect([path, response.status, response.headers.getSetCookie()]).toEqual([path, 403, []]);
      }
      expect((await ana.call('GET', '/v1/users/me')).status).toBe(200);
    },
    60_000,
  );

  it.each([
    ['pt-BR,pt;q=0.9,en;q=0.8', 'pt-br'],
    ['en;q=0.5, es-MX;q=0.8', 'es-es'],
    ['fr-FR, de', 'en-us'],
    ['pt;q=0, es', 'es-es'],
    [undefined, 'en-us'],
  ])('are in the language of Accept-Language: %s', async (header, language) => {
    expect(preferredLanguage(header)).toBe(language);
  });
});

describe('/sign-in', () => {
  it('signs in, continues at a path of the service, and signs out', async () => {
    const { user } = await signIn(service, { passwordHash: await service.service.core.passwords.hash(PASSWORD), name: 'Ana' });

    const fields = { email: user.email, password: PASSWORD, next: '/oauth/authorize?a=1&b=%2F' };
    const { status, location, cookies } = await submit('/sign-in', fields);

    expect([status, location]).toEqual([303, '/oauth/authorize?a=1&b=%2F']);
    const cookie = cookies[0]!.split(';')[0]!;
    const page = await (await fetch(`${service.url}/sign-in`, { headers: { Cookie: cookie } })).text();
    expect(page).toContain(user.email);
    expect(await submit('/sign-out', {}, { Cookie: cookie })).toMatchObject({ status: 303, location: '/sign-in' });
    expect((await clientWithCookie(service, cookie).call('GET', '/v1/users/me')).status).toBe(401);
  }, 60_000);

  it('says the same for an unknown user and a wrong password', async () => {
    const { user } = await signIn(service, { passwordHash: await service.service.core.passwords.hash(PASSWORD) });

    const wrong = await submit('/sign-in', { email: user.email, password: 'wrong password' });
    const unknown = await submit('/sign-in', { email: 'nobody@example.org', password: 'wrong password' });

    expect(wrong.status).toBe(401);
    expect(unknown).toEqual({ ...wrong, text: wrong.text.replaceAll(user.email, 'nobody@example.org') });
    expect(wrong.text).not.toContain('wrong password');
  }, 60_000);

  it('does not ask for a password over http from another machine', async () => {
    const insecure = await TestService.start({ publicUrl: 'http://files.example.org' });
    try {
      const page = await fetch(`${insecure.url}/sign-in`);
      const text = await page.text();
      expect(page.status).toBe(403);
      expect(text).toContain('role="alert"');
      expect(text).not.toContain('type="password"');
    } finally {
      await insecure.stop();
    }
  });

  it.each([
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/%2fevil.example',
    '/%5Cevil.example',
    '/.//evil.example',
    '/x/..//evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    'evil',
    '',
  ])('does not continue at %j', (next) => {
    expect(safeNextPath(next)).toBeUndefined();
  });

  it.each(['/', '/docs', '/oauth/authorize?redirect_uri=https%3A%2F%2Fexample.org%2F&x=//y'])('continues at %s', (next) => {
    expect(safeNextPath(next)).toBe(next);
  });
});

describe('invitations', () => {
  const invite = (by: { call: Awaited<ReturnType<typeof signIn>>['call'] }, email: string, more = {}) =>
    by.call<{ url: string; id: string; email: string }>('POST', '/v1/users/invitations', { body: { email, ...more } });

  it('let an invited person create one user, in the language of the invitation', async () => {
    const boss = await signIn(service, { isAdmin: true });
    const { status, response } = await invite(boss, 'Ben@example.org', { language: 'es-es' });
    expect([status, response.url]).toEqual([201, expect.stringMatching(/\/invitation#[\w-]{43}$/)]);
    const code = response.url.split('#')[1]!;
    expect((await submit('/invitation', { code, name: 'Ben', password: 'sunshine' })).status).toBe(400);

    // People may paste the whole link.
    const accepted = await submit('/invitation', { code: response.url, name: 'Ben', password: PASSWORD });

    expect(accepted).toMatchObject({ status: 303, location: '/console' });
    const ben = clientWithCookie(service, accepted.cookies[0]!.split(';')[0]!);
    expect((await ben.call('GET', '/v1/users/me')).response).toMatchObject({
      name: 'Ben',
      email: 'ben@example.org',
      language: 'es-es',
      is_admin: false,
    });
    expect((await submit('/invitation', { code, name: 'Eve', password: PASSWORD })).status).toBe(404);
    expect((await invite(boss, 'BEN@example.org')).error).toMatchObject({ code: 'VALIDATION_ERROR', path: 'email' });
    expect((await invite(ben, 'eve@example.org')).error.code).toBe('FORBIDDEN');
  }, 60_000);

  it('are replaced by a newer one for the same address, and end after 7 days and with their administrator', async () => {
    const boss = await signIn(service, { isAdmin: true });
    const codeFor = async (email: string) => (await invite(boss, email)).response.url.split('#')[1]!;
    const accept = (code: string) => submit('/invitation', { code, name: 'X', password: PASSWORD });
    const [replaced, late] = [await codeFor('carla@example.org'), await codeFor('carla@example.org')];
    expect((await accept(replaced)).status).toBe(404);

    await service.advanceClock(7 * 86_400_000);
    try {
      expect((await accept(late)).status).toBe(404);
    } finally {
      await service.advanceClock(0);
    }
    const code = await codeFor('dora@example.org');
    await service.service.core.userStatus.disable(boss.user.id, ADMIN_CREATOR);
    expect((await accept(code)).status).toBe(404);
  }, 60_000);

  it('are refused to API keys without details, because no scope would help', async () => {
    const { status, error } = await service.call('POST', '/v1/users/invitations', { body: { email: 'x@example.org' } });

    expect([status, error.code, error.details]).toEqual([403, 'API_KEY_SCOPE_DENIED', undefined]);
  });
});
