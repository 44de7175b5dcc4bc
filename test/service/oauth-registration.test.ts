import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../server/service/identity/scopes.js';
import { createBlobService } from '../../server/service/index.js';
import { withMetadata } from './change-key.js';
import { authorizePath, newClient, newVerifier, REDIRECT, register, send, submitConsent, visit } from './oauth-flow.js';
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

const METADATA = '/.well-known/oauth-authorization-server';

/** Sends a GET with headers that `fetch` does not allow. */
const getWithHeaders = (url: string, headers: Record<string, string>): Promise<string> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { headers, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk)).on('end', () => resolve(text));
    });
    sent.on('error', reject).end();
  });

describe('the metadata of the authorization server', () => {
  it('names the endpoints below the listening address', async () => {
    const issuer = service.ownUrl;
    expect(await (await fetch(issuer + METADATA)).json()).toEqual({
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      registration_endpoint: `${issuer}/oauth/register`,
      scopes_supported: SCOPES,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code'],
      token_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
  });

  it.each(['', '/v1', '/mcp'])('is found from the resource with the path "%s"', async (path) => {
    const { json } = await send({ url: service.ownUrl }, 'GET', `/.well-known/oauth-protected-resource${path}`);
    expect(json).toMatchObject({ resource: service.ownUrl, authorization_servers: [service.ownUrl] });
  });

  it('does not depend on the Host header', async () => {
    for (const host of ['evil.example', 'localhost:1', 'files.localhost', '10.1.2.3'])
      for (const path of [METADATA, '/.well-known/oauth-protected-resource'])
        expect(await getWithHeaders(service.ownUrl + path, { Host: host, 'X-Forwarded-Host': host })).not.toContain(host);
    const loopback = 'http://127.0.0.1:8123/callback';
    const client = await newClient(service, 'Editor', loopback);
    const path = authorizePath(client, newVerifier(), { redirect_uri: loopback, scope: 'unknown' });
    const headers = { 'X-Forwarded-Host': 'evil.example', Cookie: user.cookie };
    const { location } = await send({ url: service.ownUrl }, 'GET', path, { headers });
    expect(location!.searchParams.get('iss')).toBe(service.ownUrl);
  });

  it('responds to OpenID Connect with 404 and JSON', async () => {
    const { status, json } = await send(service, 'GET', '/.well-known/openid-configuration');
    expect([status, json['code']]).toEqual([404, 'NOT_FOUND']);
  });

  it('comes from the public URL, and is unavailable before the service listens without one', async () => {
    const start = async (publicUrl?: string) => {
      const { dataDir } = service;
      const other = await createBlobService({
        port: 0,
        s3Port: false,
        dataDir: `${dataDir}/other`,
        ...(publicUrl && { publicUrl }),
      });
      const { statusCode, body } = await other.app.inject(METADATA);
      await other.close();
      return [statusCode, JSON.parse(body).issuer];
    };
    expect(await start()).toEqual([503, undefined]);
    expect(await start('https://Files.example.org:443/')).toEqual([200, 'https://files.example.org']);
    expect(await start('https://example.org/files/')).toEqual([200, 'https://example.org/files']);
  });
});

describe('the registration of a client', () => {
  it('responds with 201 and the auth method none, and drops unsupported fields', async () => {
    const { status, json, headers } = await register(service, {
      client_name: 'Editor',
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
      logo_uri: 'https://tool.example.org/logo.png',
    });
    expect(status).toBe(201);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(json).toEqual({
      client_id: expect.any(String),
      client_id_issued_at: expect.any(Number),
      client_name: 'Editor',
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
  });

  it.each([
    [{}, 'invalid_client_metadata'],
    [{ redirect_uris: 'https://a.example' }, 'invalid_client_metadata'],
    [{ redirect_uris: [REDIRECT], client_name: 5 }, 'invalid_client_metadata'],
    [{ redirect_uris: [REDIRECT], grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
    [{ redirect_uris: [REDIRECT], response_types: ['token'] }, 'invalid_client_metadata'],
    [{ redirect_uris: [] }, 'invalid_redirect_uri'],
    [{ redirect_uris: Array.from({ length: 11 }, (_, n) => `https://a.example/${n}`) }, 'invalid_redirect_uri'],
    [{ redirect_uris: [`https://a.example/${'x'.repeat(2048)}`] }, 'invalid_redirect_uri'],
  ])('refuses %j', async (metadata, error) => {
    const { status, json } = await register(service, metadata);
    expect([status, json['error'], typeof json['error_description']]).toEqual([400, error, 'string']);
  });

  it.each([
    ['markup', '<script>alert(1)</script>Tool<b', 'alert(1)Toolb'],
    ['bidirectional and control characters', '\u202eTo\u2066\u200b\u0007ol\u001b[31m', 'Tool[31m'],
    ['line breaks', 'Tool\r\n\r\n  allows\teverything\u2028!', 'Tool allows everything !'],
    ['10 kB', 'x'.repeat(10_000), 'x'.repeat(40)],
    ['10 kB of surrogate pairs', `a${'😀'.repeat(2500)}`, `a${'😀'.repeat(19)}`],
    ['stacked marks', `Z${'\u0336'.repeat(300)}o`, 'Z\u0336\u0336o'],
    ['no visible character', '\u200b \u3164', 'Unnamed application'],
  ])('sanitizes a name with %s', async (_case, name, expected) => {
    const { json } = await register(service, { client_name: name, redirect_uris: [REDIRECT] });
    expect(json['client_name']).toBe(expected);
  });

  it('stores no row', async () => {
    const count = () =>
      withMetadata(service.dataDir, async ({ db }) => [
        await db.selectFrom('oauth_consents').selectAll().execute(),
        await db.selectFrom('oauth_codes').selectAll().execute(),
        await db.selectFrom('activities').selectAll().execute(),
      ]);
    const before = await count();
    const clientId = await newClient(service);
    await visit(service, authorizePath(clientId, newVerifier()));
    expect(await count()).toEqual(before);
  });
});

describe('errors below /oauth', () => {
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  it.each([
    ['GET', '/oauth/unknown', {}, 404, 'not_found'],
    ['GET', '/oauth/token', {}, 404, 'not_found'],
    ['GET', '/oauth', {}, 404, 'not_found'],
    ['GET', '/oauth/%zz', {}, 400, 'invalid_request'],
    ['POST', '/oauth/token', { headers: { 'Content-Type': 'application/json' }, body: '{}' }, 415, 'invalid_request'],
    ['POST', '/oauth/token', { headers: { 'Content-Type': 'text/plain' }, body: 'x' }, 415, 'invalid_request'],
    ['POST', '/oauth/token', {}, 400, 'invalid_request'],
    ['POST', '/oauth/token', { headers: form, body: 'grant_type=authorization_code&code=1&code=2' }, 400, 'invalid_request'],
    ['POST', '/oauth/token', { headers: form, body: `code=${'x'.repeat(16_400)}` }, 413, 'invalid_request'],
    ['POST', '/oauth/register', { headers: form, body: 'client_name=x' }, 415, 'invalid_request'],
    ['POST', '/oauth/register', { headers: { 'Content-Type': 'application/json' }, body: '{' }, 400, 'invalid_request'],
    [
      'POST',
      '/oauth/register',
      { headers: { 'Content-Type': 'application/json' }, body: `"${'x'.repeat(70_000)}"` },
      413,
      'invalid_request',
    ],
  ] as [string, string, RequestInit, number, string][])(
    'have the form of OAuth: %s %s (%j)',
    async (method, path, init, status, error) => {
      const result = await send(service, method, path, init);
      expect([result.status, result.json['error']]).toEqual([status, error]);
      expect(Object.keys(result.json)).toEqual(['error', 'error_description']);
      expect(result.headers.get('cache-control')).toBe('no-store');
    },
  );

  it('are a page for a person', async () => {
    const { status, text } = await submitConsent(
      service,
      user.cookie,
      { consent: 'used' },
      { Accept: 'text/html', 'Accept-Language': 'pt-BR' },
    );
    expect([status, text.includes('Esta conexão não pode continuar')]).toEqual([400, true]);
  });

  it('report the limit of a network', async () => {
    const limited = await TestService.start();
    try {
      const send100 = await Promise.all(Array.from({ length: 100 }, () => register(limited, { redirect_uris: [REDIRECT] })));
      const refused = send100.filter(({ status }) => status === 429);
      expect(refused.length).toBeGreaterThanOrEqual(1);
      expect(refused[0]!.json['error']).toBe('too_many_requests');
      expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(0);
    } finally {
      await limited.stop();
    }
  });
});

describe('CORS of the authorization server', () => {
  it.each([METADATA, '/.well-known/oauth-protected-resource', '/oauth/register', '/oauth/token'])(
    'allows pages to use %s',
    async (path) => {
      const headers = {
        Origin: 'https://tool.example.org',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type,mcp-protocol-version',
      };
      const preflight = await send(service, 'OPTIONS', path, { headers });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get('access-control-allow-headers')).toContain('MCP-Protocol-Version');
      const { headers: received } = await send(service, path.startsWith('/oauth') ? 'POST' : 'GET', path, {
        headers: { Origin: 'https://x.example' },
      });
      expect(received.get('access-control-allow-origin')).toBe('*');
      expect(received.get('access-control-allow-credentials')).toBeNull();
    },
  );
});
