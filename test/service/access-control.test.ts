import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../../server/service/identity/scopes.js';
import type { OpenApi } from '../../server/service/rest/openapi/openapi.js';
import { BACKEND } from './backend.js';
import { TestService } from './support.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());

/** Returns whether keys for Blob Storage or upload tokens may use a route. `access-matrix.test.ts` tests all routes. */
const isOfBlobStorage = (security: Record<string, unknown>[]): boolean =>
  security.some((one) => 'uploadToken' in one || ('apiKey' in one && String(one['apiKey']).startsWith('blob:')));

describe('authentication and authorization', () => {
  it.each([
    [null, 'AUTH_TOKEN_MISSING'],
    ['', 'AUTH_TOKEN_MISSING'],
    ['Basic dXNlcjpwYXNz', 'AUTH_TOKEN_MISSING'],
    [`Bearer svc_live_${'x'.repeat(43)}`, 'API_KEY_INVALID'],
    ['Bearer nonsense', 'API_KEY_INVALID'],
  ])('rejects %s with %s', async (authorization, code) => {
    const response = await service.call('GET', '/v1/files', {
      credential: null,
      ...(authorization !== null && { headers: { Authorization: authorization } }),
    });
    expect([response.status, response.error.code]).toEqual([401, code]);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('requires the scope of the route from API keys', async () => {
    const reader = await service.newKey(['blob:read']);
    const writer = await service.newKey(['blob:write']);
    const denied = await service.put('x.txt', 'x', { credential: reader.secret });
    expect([denied.status, denied.error]).toMatchObject([
      403,
      { code: 'API_KEY_SCOPE_DENIED', details: { required: 'blob:write' } },
    ]);
    const unread = await service.call('GET', '/v1/stats', { credential: writer.secret });
    expect(unread.error.details).toEqual({ required: 'blob:read' });
    expect((await service.put('x.txt', 'x', { credential: writer.secret })).status).toBe(201);
  });

  it('rejects a missing credential, another scope, an upload token and a workspace on every route of Blob Storage', async () => {
    const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApi;
    const { token } = await service.mint();
    const keys = {
      'blob:read': (await service.newKey(['blob:read'])).secret,
      'blob:write': (await service.newKey(['blob:write'])).secret,
    };
    const closed = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { security }]) =>
        isOfBlobStorage(security) ? [{ path, method, security }] : [],
      ),
    );
    expect(closed.length).toBeGreaterThan(40);
    for (const { path, method, security } of closed) {
      const place = path.replace(/\{\w+\}/g, 'x');
      // Responses to HEAD have no body with a code.
      const ask = async (credential: string | null, query = '') => {
        const { status, error } = await service.call(method.toUpperCase(), place + query, { credential });
        return method === 'head' ? [status] : [status, error.code, error.details ?? {}];
      };
      const is = (...response: unknown[]) => (method === 'head' ? response.slice(0, 1) : response);
      const scopes = security.flatMap((one) => ('apiKey' in one ? (one['apiKey'] as Scope[]) : []));
      const tokensToo = security.some((one) => 'uploadToken' in one);
      const name = `${method} ${path}`;
      expect([name, ...(await ask(null))]).toEqual([name, ...is(401, 'AUTH_TOKEN_MISSING', {})]);
      for (const required of scopes) {
        const other = keys[required === 'blob:read' ? 'blob:write' : 'blob:read'];
        expect([name, ...(await ask(other))]).toEqual([name, ...is(403, 'API_KEY_SCOPE_DENIED', { required })]);
      }
      if (!tokensToo)
        expect([name, ...(await ask(token))]).toEqual([name, ...is(403, 'BLOB_UPLOAD_TOKEN_CONSTRAINT', { field: 'route' })]);
      if (scopes.length === 0)
        expect([name, ...(await ask(service.key))]).toEqual([
          name,
          ...is(401, 'BLOB_UPLOAD_TOKEN_INVALID', { reason: 'unknown' }),
        ]);
      for (const credential of [...(scopes.length > 0 ? [service.key] : []), ...(tokensToo ? [token] : [])])
        expect([name, ...(await ask(credential, '?workspace_id=w1'))]).toEqual([
          name,
          ...is(404, 'WORKSPACE_NOT_FOUND', { workspace_id: 'w1' }),
        ]);
    }
  });

  it('ignores a credential in the URL', async () => {
    for (const name of ['api_key', 'access_token', 'token', 'authorization'])
      expect((await service.call('GET', `/v1/files?${name}=${service.key}`, { credential: null })).status).toBe(401);
  });

  it('allows a key only from its addresses and ignores forwarded headers', async () => {
    const elsewhere = await service.newKey(['blob:read'], ['203.0.113.7']);
    const here = await service.newKey(['blob:read'], ['::1', '127.0.0.1']);
    for (const headers of [{}, { 'X-Forwarded-For': '203.0.113.7' }, { 'CF-Connecting-IP': '203.0.113.7' }] as Record<
      string,
      string
    >[]) {
      const response = await service.call('GET', '/v1/stats', { credential: elsewhere.secret, headers });
      expect([response.status, response.error.code]).toEqual([403, 'API_KEY_IP_DENIED']);
    }
    expect((await service.call('GET', '/v1/stats', { credential: here.secret })).status).toBe(200);
  });

  it('trusts the forwarded address of a configured proxy', async () => {
    const behind = await TestService.start({ trustedProxies: ['127.0.0.1', '10.0.0.0/8'] });
    const key = await behind.newKey(['blob:read'], ['203.0.113.7']);
    const ask = (forwarded: string) =>
      behind.call('GET', '/v1/stats', { credential: key.secret, headers: { 'X-Forwarded-For': forwarded } });
    for (const one of ['203.0.113.7', '203.0.113.7:4711', '203.0.113.7:4711, 10.1.2.3:80', '[::ffff:203.0.113.7]:80'])
      expect([one, (await ask(one)).status]).toEqual([one, 200]);
    // The client wrote the first address, the proxy the last.
    expect((await ask('203.0.113.7, 198.51.100.1')).status).toBe(403);
    await behind.stop();
  });

  it('rejects a revoked key at once', async () => {
    const key = await service.newKey(['blob:read']);
    await service.service.core.keys.revoke('main', key.id);
    expect((await service.call('GET', '/v1/stats', { credential: key.secret })).error.code).toBe('API_KEY_INVALID');
  });

  it('rejects every workspace', async () => {
    const response = await service.call('GET', '/v1/stats?workspace_id=w1');
    expect([response.status, response.error.code]).toEqual([404, 'WORKSPACE_NOT_FOUND']);
  });
});

describe('every response', () => {
  it('has its own x-request-id, even if the client sends one', async () => {
    const ids = await Promise.all(
      ['/v1/stats', '/nowhere', '/v1/files/%ff', '/healthz'].map(async (path) => {
        const response = await service.call('GET', path, { headers: { 'x-request-id': 'mine' } });
        return response.headers.get('x-request-id');
      }),
    );
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is a JSON error for an unknown URL', async () => {
    const response = await service.call('GET', '/v2/files');
    expect([response.status, response.error.code]).toEqual([404, 'NOT_FOUND']);
  });

  it('names the body if it is not JSON', async () => {
    const response = await service.call('POST', '/v1/upload-tokens', {
      body: '{',
      headers: { 'Content-Type': 'application/json' },
    });
    expect([response.status, response.error.code, response.error.path]).toEqual([400, 'VALIDATION_ERROR', 'body']);
  });

  it('can be read by scripts of any origin, and preflights are cached', async () => {
    const asked = await fetch(`${service.url}/v1/files`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://a.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization',
      },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-origin')).toBe('*');
    expect(asked.headers.get('access-control-allow-headers')).toMatch(/Authorization.*Idempotency-Key.*Upload-Offset/);
    expect(asked.headers.get('access-control-allow-methods')).toMatch(/PUT.*PATCH/);
    expect(Number(asked.headers.get('access-control-max-age'))).toBeGreaterThanOrEqual(7200);
    const refused = await service.call('GET', '/v1/files', { credential: null });
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    expect(refused.headers.get('access-control-expose-headers')).toMatch(/X-Request-Id.*Retry-After/);
  });
});

describe('health checks', () => {
  it('need no credential', async () => {
    for (const path of ['/healthz', '/readyz']) expect((await fetch(service.url + path)).status).toBe(200);
  });

  it.skipIf(BACKEND === 'replicas')('report that the service is not ready if the store is not writable', async () => {
    const broken = await TestService.start();
    const { rm } = await import('node:fs/promises');
    await rm(`${broken.dataDir}/blobs/temp`, { recursive: true });
    expect((await fetch(`${broken.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${broken.url}/healthz`)).status).toBe(200);
    await broken.stop();
  });
});

describe('a data directory', () => {
  it.skipIf(BACKEND !== 'sqlite')('is used by only one process', async () => {
    await expect(TestService.start({ dataDir: service.dataDir })).rejects.toThrow(/another service runs/);
  });
});
