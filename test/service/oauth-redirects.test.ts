import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorizePath, newClient, newVerifier, REDIRECT, register, visit } from './oauth-flow.js';
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

describe('an unknown client or redirect', () => {
  const expectErrorPage = async (path: string) => {
    const { status, headers, location, text } = await visit(service, path, user.cookie);
    expect([status, location, headers.get('content-type')]).toEqual([400, undefined, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(text).not.toContain('name="consent"');
  };

  it('gets a page for a client id that was not issued or was changed', async () => {
    const clientId = await newClient(service);
    const forged = Buffer.from(JSON.stringify(['Editor', 1, 'https://evil.example/'])).toString('base64url');
    const signature = clientId.split('.')[1]!;
    const all = ['', 'unknown', `${clientId}x`, `${clientId}.x`, `svcc_${forged}.${signature}`, `svcc_${forged}.`, `svcc_.`];
    for (const changed of all) await expectErrorPage(authorizePath(changed, newVerifier()));
    await expectErrorPage(`${authorizePath(clientId, newVerifier())}&client_id=${clientId}`);
  });

  it.each([
    [
      'https://tool.example.org/callback',
      [
        'https://tool.example.org/callback/',
        'https://tool.example.org/Callback',
        'https://TOOL.example.org/callback',
        'https://tool.example.org/callback?x=1',
        'https://tool.example.org/callback#',
        'https://tool.example.org/callback/../callback',
        'https://tool.example.org:444/callback',
        'https://tool.example.org:443/callback',
        'https://tool.example.org.evil.example/callback',
        'https://tool.example.org@evil.example/callback',
        'https://evil.example\\@tool.example.org/callback',
        'http://tool.example.org/callback',
        ' https://tool.example.org/callback',
        'https://tool.example.org/call\tback',
      ],
    ],
    [
      'http://localhost:8000/cb',
      [
        'http://localhost.evil:8000/cb',
        'http://localhost.evil.example/cb',
        'http://localhost@evil.example/cb',
        'http://user@localhost:8000/cb',
        'http://localhost:8000@evil.example/cb',
        'http://127.0.0.1:8000/cb',
        'http://LOCALHOST:8000/cb',
        'http://localhost:8000/CB',
        'http://localhost:8000/cb/',
        'http://localhost:8000/cb#x',
        'http://localhost:99999/cb',
        'https://localhost:8000/cb',
      ],
    ],
    ['com.example.tool:/cb', ['com.example.tool://cb', 'com.example.toolx:/cb', 'COM.example.tool:/cb']],
  ])('gets a page for each URI that looks like %s', async (registered, lookAlikes) => {
    const clientId = await newClient(service, 'Editor', registered);
    for (const redirect_uri of lookAlikes) await expectErrorPage(authorizePath(clientId, newVerifier(), { redirect_uri }));
    const { status } = await visit(service, authorizePath(clientId, newVerifier(), { redirect_uri: registered }), user.cookie);
    expect(status).toBe(200);
  });

  it.each(['http://127.0.0.1/cb', 'http://[::1]:1/cb', 'http://localhost:8000/cb'])(
    'accepts any port for %s',
    async (registered) => {
      const clientId = await newClient(service, 'Editor', registered);
      const redirect_uri = registered.replace(/(:\d+)?\/cb$/, ':54321/cb');
      const { status } = await visit(service, authorizePath(clientId, newVerifier(), { redirect_uri }), user.cookie);
      expect(status).toBe(200);
    },
  );

  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'blob:https://tool.example.org/1',
    'vbscript:x',
    'http://tool.example.org/cb',
    'http://localhost.evil/cb',
    'http://127.1/cb',
    'http://0x7f000001/cb',
    'http://127.0.0.1.evil.example/cb',
    'https:/tool.example.org/cb',
    'https://user:secret@tool.example.org/cb',
    'https://@tool.example.org/cb',
    'https://tool.example.org/cb#fragment',
    'https://tool.example.org\\@evil.example',
    '/callback',
    '//evil.example/cb',
    'https://',
  ])('cannot register %s', async (uri) => {
    const { status, json } = await register(service, { redirect_uris: [uri] });
    expect([status, json['error']]).toEqual([400, 'invalid_redirect_uri']);
  });

  it.each(['cursor://anysphere.cursor/callback', 'com.example.app:/oauth', 'vscode://x/y?z=1'])(
    'can register %s',
    async (uri) => {
      expect((await register(service, { redirect_uris: [uri] })).status).toBe(201);
    },
  );
});

describe('an invalid authorization request', () => {
  const LOOPBACK = 'http://127.0.0.1:4711/cb';

  it.each([
    [{ response_type: undefined }, 'invalid_request'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ code_challenge: undefined }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ code_challenge_method: undefined }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ scope: 'openid unknown' }, 'invalid_scope'],
    [{ resource: 'https://evil.example' }, 'invalid_target'],
  ])('returns %j to an application on this computer with the error, the state and the issuer', async (changes, error) => {
    const clientId = await newClient(service, 'Editor', LOOPBACK);
    const path = authorizePath(clientId, newVerifier(), { redirect_uri: LOOPBACK, ...changes });
    const { status, location } = await visit(service, path, user.cookie);
    expect([status, location!.origin + location!.pathname]).toEqual([302, LOOPBACK]);
    const { iss, ...others } = Object.fromEntries(location!.searchParams);
    expect(others).toEqual({ error, error_description: expect.any(String), state: 'a state' });
    expect(iss).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it('keeps the query of the redirect URI', async () => {
    const redirect_uri = `${LOOPBACK}?tenant=1`;
    const clientId = await newClient(service, 'Editor', redirect_uri);
    const path = authorizePath(clientId, newVerifier(), { redirect_uri, scope: 'x' });
    const { location } = await visit(service, path, user.cookie);
    expect(location!.search).toMatch(/^\?tenant=1&error=invalid_scope&/);
  });

  it('redirects no user to a site that registered itself, and links to it with the error, the state and the issuer', async () => {
    const { status, location, text } = await visit(
      service,
      authorizePath(await newClient(service), newVerifier(), { scope: 'unknown' }),
      user.cookie,
    );
    expect([status, location]).toEqual([400, undefined]);
    const link = new URL(/<a [^>]*href="([^"]+)"/.exec(text)![1]!.replaceAll('&amp;', '&'));
    expect(link.origin + link.pathname).toBe(REDIRECT);
    expect(Object.fromEntries(link.searchParams)).toMatchObject({
      error: 'invalid_scope',
      state: 'a state',
      iss: expect.any(String),
    });
    expect(text).toContain(`Return to ${link.host}`);
  });

  it('is not redirected to the client before the sign-in', async () => {
    const clientId = await newClient(service, 'Editor', LOOPBACK);
    const path = authorizePath(clientId, newVerifier(), { redirect_uri: LOOPBACK, scope: 'unknown' });
    const { status, location } = await visit(service, path);
    expect([status, location!.pathname, location!.searchParams.get('next')]).toEqual([302, '/sign-in', path]);
  });

  it('offers a client without scope only reading, and ignores unknown scopes beside known ones', async () => {
    const clientId = await newClient(service);
    const scopesOf = async (scope: string | undefined) => {
      const { text } = await visit(service, authorizePath(clientId, newVerifier(), { scope }), user.cookie);
      return [...text.matchAll(/name="scope\.([^"]+)"/g)].map(([, name]) => name!);
    };
    expect((await scopesOf(undefined)).every((scope) => scope.endsWith(':read'))).toBe(true);
    expect(await scopesOf('openid offline_access blob:read')).toEqual(['blob:read']);
  });
});
