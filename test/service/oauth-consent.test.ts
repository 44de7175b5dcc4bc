import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withMetadata } from './change-key.js';
import {
  authorizePath,
  exchange,
  grant,
  newClient,
  newVerifier,
  REDIRECT,
  secretOf,
  submitConsent,
  visit,
} from './oauth-flow.js';
import { signIn } from './session-client.js';
import type { SignedInUser } from './session-client.js';
import { TestService } from './support.js';

let service: TestService;
let user: SignedInUser;

beforeAll(async () => {
  service = await TestService.start();
  user = await signIn(service);
});
afterAll(() => service.stop());

const openPage = async (cookie = user.cookie, name?: string) =>
  visit(service, authorizePath(await newClient(service, name), newVerifier()), cookie);

describe('the consent page', () => {
  it('is shown only to a signed-in user, and others sign in first', async () => {
    const path = authorizePath(await newClient(service), newVerifier());
    for (const cookie of [undefined, 'svc_session=unknown']) {
      const { status, location } = await visit(service, path, cookie);
      expect(status).toBe(302);
      expect(location!.pathname).toBe('/sign-in');
      expect(location!.searchParams.get('next')).toBe(path);
    }
  });

  it('shows the client, the redirect host and each scope in plain words', async () => {
    const { status, text } = await openPage();
    expect(status).toBe(200);
    for (const part of ['Editor', 'tool.example.org', 'See and download your files', 'Upload, change and delete your files'])
      expect(text).toContain(part);
    expect(text).not.toContain('Delete applications');
  });

  it.each([
    ['pt-br', 'Enviar, alterar e excluir seus arquivos', 'Permitir'],
    ['es-es', 'Subir, modificar y eliminar tus archivos', 'Denegar'],
  ])('speaks the language of the profile: %s', async (language, scope, button) => {
    const other = await signIn(service);
    await withMetadata(service.dataDir, (metadata) =>
      metadata.write((query) =>
        query
          .updateTable('users')
          .set({ language: language as 'pt-br' })
          .where('id', '=', other.user.id)
          .execute(),
      ),
    );
    const { text } = await openPage(other.cookie);
    expect(text).toContain(scope);
    expect(text).toContain(button);
  });

  it('cannot be framed, runs only its own script, has no form-action, and is not cached', async () => {
    const { headers, text } = await openPage();
    const policy = headers.get('content-security-policy');
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('form-action');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('access-control-allow-origin')).toBeNull();
    const script = /<script>(.*?)<\/script>/.exec(text)![1]!;
    const hash = createHash('sha256').update(script).digest('base64');
    expect(policy!.split('; ').find((directive) => directive.startsWith('script-src'))).toBe(`script-src 'sha256-${hash}'`);
  });

  it('shows a client name without markup and bidirectional characters', async () => {
    const { text } = await openPage(user.cookie, '<img src=x onerror=alert(1)>Edi\u202etor\u0007 & "Co" <b>');
    expect(text).not.toContain('<img');
    expect(text).not.toContain('\u202e');
    expect(text).toContain('Editor &amp; &quot;Co&quot;');
  });

  it('sends the code, the state and the issuer to the client', async () => {
    const { location } = await grant(service, user, { changes: { state: 'x y&z' } });
    expect(location.origin + location.pathname).toBe(REDIRECT);
    expect(location.searchParams.get('state')).toBe('x y&z');
    expect(location.searchParams.get('iss')).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it('sends access_denied to the client if the user denies', async () => {
    const { location } = await submitConsent(service, user.cookie, { consent: secretOf(await openPage()), decision: 'deny' });
    expect(Object.fromEntries(location!.searchParams)).toMatchObject({ error: 'access_denied', state: 'a state' });
    expect(location!.searchParams.get('iss')).not.toBeNull();
    expect(location!.searchParams.get('code')).toBeNull();
  });

  it('grants only the scopes that stay selected', async () => {
    const granted = await grant(service, user, { fields: { 'scope.blob:write': undefined } });
    const { json } = await exchange(service, granted);
    expect(json['scope']).toBe('blob:read');
    const { status } = await service.call('POST', '/v1/upload-tokens', { credential: json['access_token']!, body: {} });
    expect(status).toBe(403);
  });

  it('ignores a scope that the client did not request', async () => {
    const granted = await grant(service, user, { fields: { 'scope.account:write': 'on' } });
    const { json } = await exchange(service, granted);
    expect(json['scope']).toBe('blob:read blob:write');
  });

  it('asks again without a selected scope, and stays valid', async () => {
    const consent = secretOf(await openPage());
    const none = { consent, 'scope.blob:read': undefined, 'scope.blob:write': undefined };
    const { status, text } = await submitConsent(service, user.cookie, none);
    expect(status).toBe(400);
    expect(text).toContain('Select at least one permission');
    expect(text).not.toMatch(/type="checkbox"[^>]* checked/);
    const { location } = await submitConsent(service, user.cookie, { consent });
    expect(location!.searchParams.get('code')).not.toBeNull();
  });
});

describe('a consent', () => {
  it('works once', async () => {
    const consent = secretOf(await openPage());
    const all = await Promise.all(Array.from({ length: 10 }, () => submitConsent(service, user.cookie, { consent })));
    expect(all.filter(({ location }) => location?.searchParams.has('code'))).toHaveLength(1);
    const repeated = await submitConsent(service, user.cookie, { consent });
    expect([repeated.status, repeated.json['error']]).toEqual([400, 'invalid_request']);
  });

  it('ends when the user denies', async () => {
    const consent = secretOf(await openPage());
    await submitConsent(service, user.cookie, { consent, decision: 'deny' });
    expect((await submitConsent(service, user.cookie, { consent })).status).toBe(400);
  });

  it('is refused from another session, and stays valid for its own', async () => {
    const consent = secretOf(await openPage());
    const other = await signIn(service);
    const refused = await submitConsent(service, other.cookie, { consent });
    expect([refused.status, refused.location]).toEqual([400, undefined]);
    expect((await submitConsent(service, 'svc_session=unknown', { consent })).status).toBe(403);
    expect((await submitConsent(service, user.cookie, { consent })).status).toBe(303);
  });

  it.each([
    ['null', { Origin: 'null' }],
    ['another port', { Origin: 'http://127.0.0.1:1' }],
    ['another site', { Origin: 'https://evil.example' }],
    ['its own origin, in a request that another site caused', { 'Sec-Fetch-Site': 'cross-site' }],
    ['its own origin, in a request that the same site caused', { 'Sec-Fetch-Site': 'same-site' }],
  ])('is refused from the origin %s', async (_name, headers) => {
    const consent = secretOf(await openPage());
    const { status, json } = await submitConsent(service, user.cookie, { consent }, headers as Record<string, string>);
    expect([status, json['error']]).toEqual([403, 'access_denied']);
  });

  it('is refused without an origin', async () => {
    const consent = secretOf(await openPage());
    const response = await fetch(`${service.url}/oauth/consent`, {
      method: 'POST',
      redirect: 'manual',
      headers: { Cookie: user.cookie },
      body: new URLSearchParams({ consent, decision: 'allow', 'scope.blob:read': 'on' }),
    });
    expect(response.status).toBe(403);
  });

  it.each([
    ['an expired page', (cookie: string) => cookie, 'Esta página expirou ou já foi usada.'],
    ['an ended session', () => 'svc_session=unknown', 'Sua sessão terminou.'],
  ])('says in the language of the browser why %s cannot continue', async (_, cookieOf, reason) => {
    const headers = { Accept: 'text/html', 'Accept-Language': 'pt-BR' };
    const { text } = await submitConsent(service, cookieOf(user.cookie), { consent: 'svccs_old' }, headers);
    expect(text).toContain(reason);
  });

  it('expires after ten minutes', async () => {
    const consent = secretOf(await openPage());
    await service.advanceClock(10 * 60_000 + 1000);
    try {
      expect((await submitConsent(service, user.cookie, { consent })).status).toBe(400);
    } finally {
      await service.advanceClock(0);
    }
  });

  it('is recorded in the activity log and counted, without secrets', async () => {
    const watched = await signIn(service);
    const granted = await grant(service, watched, { name: 'Watched' });
    const { json } = await exchange(service, granted);
    await submitConsent(service, watched.cookie, { consent: secretOf(await openPage(watched.cookie)), decision: 'deny' });
    const rows = await withMetadata(service.dataDir, (metadata) =>
      metadata.db.selectFrom('activities').selectAll().where('author_id', '=', watched.user.id).execute(),
    );
    expect(rows.map(({ action }) => action).sort()).toEqual(['api_key.created', 'oauth_consent.denied', 'oauth_consent.given']);
    const given = rows.find(({ action }) => action === 'oauth_consent.given')!;
    expect(JSON.parse(given.details_json)).toEqual({
      client: 'Watched',
      redirect: 'tool.example.org',
      scopes: ['blob:read', 'blob:write'],
    });
    const text = JSON.stringify(rows);
    for (const secret of [json['access_token']!, granted.code, granted.verifier]) expect(text).not.toContain(secret);
    const metrics = await (await fetch(`${service.ownUrl}/metrics`)).text();
    expect(metrics).toMatch(/svc_oauth_consents_total\{decision="allowed"\} [1-9]/);
    expect(metrics).toMatch(/svc_oauth_consents_total\{decision="denied"\} [1-9]/);
  });
});
