import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signIn } from './session-client.js';
import { TestService } from './support.js';

let service: TestService;
let cookie: string;

beforeAll(async () => {
  service = await TestService.start();
  ({ cookie } = await signIn(service));
});
afterAll(() => service.stop());

const open = (path: string, headers: Record<string, string> = {}) =>
  fetch(service.url + path, { redirect: 'manual', headers: { Accept: 'text/html', ...headers } });

const scriptOf = (page: string) =>
  /<script type="module" nonce="([^"]+)" src="([^"]+)">/.exec(page)!.slice(1) as [string, string];

describe('the console', () => {
  it.each(['/console', '/console/files/a%20b/?sort=size&workspace=w'])(
    'sends people who are not signed in to the sign-in page: %s',
    async (path) => {
      const response = await open(path);
      expect([response.status, response.headers.get('location')]).toEqual([303, `/sign-in?next=${encodeURIComponent(path)}`]);
    },
  );

  it('allows only scripts with the nonce of the response, and no frame, form or base of another origin', async () => {
    const response = await open('/console/files/', { Cookie: cookie });
    expect(response.status).toBe(200);
    const [nonce] = scriptOf(await response.text());
    const policy = response.headers.get('content-security-policy')!.split('; ');
    expect(policy).toEqual([
      "default-src 'none'",
      `script-src 'nonce-${nonce}' 'strict-dynamic'`,
      `style-src 'nonce-${nonce}'`,
      "img-src 'self' data:",
      "media-src 'self'",
      "connect-src 'self'",
      "frame-src 'none'",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types lit-html',
    ]);
    expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    const [other] = scriptOf(await (await open('/console/files/', { Cookie: cookie })).text());
    expect(other).not.toBe(nonce);
  });

  it('serves its scripts for a year, and nothing else of the build', async () => {
    const [, source] = scriptOf(await (await open('/console', { Cookie: cookie })).text());
    const script = await open(source);
    expect([script.status, script.headers.get('content-type'), script.headers.get('cache-control')]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ]);
    for (const path of ['manifest.json', '..%2Fservice.js', 'none.js'])
      expect((await open(`/console/assets/${path}`)).status).toBe(404);
  });

  it('has the language of the user', async () => {
    const user = await signIn(service);
    await user.call('PATCH', '/v1/users/me', { body: { language: 'pt-br' } });
    const page = await (await open('/console', { Cookie: user.cookie, 'Accept-Language': 'es' })).text();
    expect(page).toContain('<html lang="pt-BR"');
  });
});
