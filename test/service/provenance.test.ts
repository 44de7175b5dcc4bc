import { ADMIN_CREATOR } from '../../server/service/identity/creator.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Scope } from '../../server/service/identity/scopes.js';
import { changeKey, withMetadata } from './change-key.js';
import { TestService } from './support.js';
import { locationOf, TusClient } from './tus-client.js';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
  await service.put('doc.txt', 'private');
});
afterAll(() => service.stop());

const FULL: Scope[] = ['blob:read', 'blob:write'];
let key: { id: string; secret: string };
/** An account has at most ten keys. */
const created: string[] = [];
const newKey = async (scopes: Scope[]) => {
  const createdUpload = await service.newKey(scopes);
  created.push(createdUpload.id);
  return createdUpload;
};
beforeEach(async () => void (key = await newKey(FULL)));
afterEach(async () => {
  for (const id of created.splice(0)) await service.service.core.keys.revoke('main', id);
});

const revoke = () => service.service.core.keys.revoke('main', key.id);
const create = <T = Record<string, string>>(path: string, body: object = {}) =>
  service.call<T>('POST', path, { body, credential: key.secret });
const link = async () => (await create(`/v1/files/${await docId()}/links`)).response['url']!;
const share = async (more: object = {}) => (await create('/v1/shares', { path: 'doc.txt', ...more })).response;
const docId = async () => {
  const { response } = await service.call<{ files: { id: string; path: string }[] }>('GET', '/v1/files?prefix=doc');
  return response.files[0]!.id;
};
const statusOf = async (url: string) => {
  const httpResponse = await fetch(url);
  await httpResponse.arrayBuffer();
  return httpResponse.status;
};
const uploadsInProgress = async () =>
  (await service.call<{ uploads_in_progress: number }>('GET', '/v1/stats')).response.uploads_in_progress;
const denied = (required: string) => [403, 'API_KEY_SCOPE_DENIED', { required }];

describe('an API key cannot create a credential with more rights', () => {
  it.each([
    ['an S3 key pair', '/v1/s3-credentials', {}],
    ['a read-only S3 key pair', '/v1/s3-credentials', { read_only: true }],
    ['a share', '/v1/shares', { path: 'doc.txt' }],
  ])('%s with blob:write alone', async (_, path, body) => {
    key = await newKey(['blob:write']);
    const { status, error } = await create(path, body);
    expect([status, error.code, error.details]).toEqual(denied('blob:read'));
  });

  it('a share is not extended with blob:write alone', async () => {
    const { id, url } = await share({ password: 'secret' });
    const writer = await newKey(['blob:write']);
    const changed = await service.call('PATCH', `/v1/shares/${id}`, { body: { password: null }, credential: writer.secret });
    expect([changed.status, changed.error.code, changed.error.details]).toEqual(denied('blob:read'));
    expect(await statusOf(url!)).toBe(401);
  });

  it('a public file or a rule for public files is rejected with blob:write alone', async () => {
    key = await newKey(['blob:write']);
    const file = `/v1/files/${await docId()}`;
    const createdUpload = await service.call<{ id: string }>('POST', '/v1/rules', {
      body: { prefix: 'open', visibility: 'public' },
    });
    const rule = `/v1/rules/${createdUpload.response.id}`;
    const asks: [string, string, object][] = [
      ['PATCH', file, { visibility: 'public' }],
      ['POST', '/v1/rules', { prefix: 'x', visibility: 'public' }],
      ['PATCH', rule, { visibility: 'public' }],
      ['PATCH', rule, { prefix: '' }],
    ];
    for (const [method, path, body] of asks) {
      const { status, error } = await service.call(method, path, { body, credential: key.secret });
      expect([status, error.code, error.details]).toEqual(denied('blob:read'));
    }
    const allowed = [
      await service.call('PATCH', file, { body: { visibility: 'private', metadata: { a: 'b' } }, credential: key.secret }),
      await service.call('PATCH', rule, { body: { prefix: 'closed', visibility: null }, credential: key.secret }),
      await service.call('DELETE', rule, { credential: key.secret }),
    ];
    expect(allowed.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('a rule that keeps a folder private is not deleted with blob:write alone', async () => {
    key = await newKey(['blob:write']);
    const rule = async (prefix: string, visibility: string | null) => {
      const createdUpload = await service.call<{ id: string }>('POST', '/v1/rules', { body: { prefix, visibility } });
      return `/v1/rules/${createdUpload.response.id}`;
    };
    const outer = await rule('open', 'public');
    const inner = await rule('open/letters', 'private');
    const other = await rule('opening', null);
    for (const [method, body] of [['DELETE'], ['PATCH', { prefix: 'elsewhere' }]] as const) {
      const refused = await service.call(method, inner, { ...(body && { body }), credential: key.secret });
      expect([refused.status, refused.error.code, refused.error.details]).toEqual(denied('blob:read'));
    }
    expect((await service.put('open/letters/a.txt', 'x')).response.visibility).toBe('private');
    for (const one of [other, outer, inner])
      expect((await service.call('DELETE', one, { credential: key.secret })).status).toBe(200);
  });

  it.each([
    ['an S3 key pair', '/v1/s3-credentials'],
    ['a share', '/v1/shares'],
    ['an upload token', '/v1/upload-tokens'],
  ])('%s with blob:read alone', async (_, path) => {
    key = await newKey(['blob:read']);
    const { status, error } = await create(path, path === '/v1/shares' ? { path: 'doc.txt' } : {});
    expect([status, error.code, error.details]).toEqual(denied('blob:write'));
  });
});

describe('a credential that an API key created', () => {
  it('ends with the key, for links and shares', async () => {
    const urls = [await link(), (await share())['url']!];
    expect(await Promise.all(urls.map(statusOf))).toEqual([200, 200]);
    const late = await link();
    await revoke();
    expect(await Promise.all([...urls, late].map(statusOf))).toEqual([404, 404, 404]);
  });

  it('is not listed, read or changed after the key is revoked', async () => {
    const pair = (await create('/v1/s3-credentials')).response['access_key_id'];
    const { id } = await share();
    await revoke();
    const pairs = (await service.call<{ s3_credentials: { access_key_id: string }[] }>('GET', '/v1/s3-credentials')).response;
    expect(pairs.s3_credentials.map((one) => one.access_key_id)).not.toContain(pair);
    const shares = (await service.call<{ shares: { id: string }[] }>('GET', '/v1/shares')).response;
    expect(shares.shares.map((one) => one.id)).not.toContain(id);
    for (const [method, body] of [['GET'], ['PATCH', { password: 'x' }]] as const)
      expect((await service.call(method, `/v1/shares/${id}`, body && { body })).status).toBe(404);
  });

  it('is deleted by the sweep after the key is revoked', async () => {
    const [{ id }, other] = [
      await share(),
      await service.call<{ id: string }>('POST', '/v1/shares', { body: { path: 'doc.txt' } }),
    ];
    await revoke();
    await service.service.core.blobs.sweep();
    const left = await withMetadata(service.dataDir, ({ db }) => db.selectFrom('shares').select('id').execute());
    expect(left.map((row) => row.id)).toContain(other.response.id);
    expect(left.map((row) => row.id)).not.toContain(id);
  });

  it('reads only while the key has blob:read', async () => {
    const urls = [await link(), (await share())['url']!];
    await changeKey(service.dataDir, key.id, { scopes: ['blob:write'] });
    expect(await Promise.all(urls.map(statusOf))).toEqual([404, 404]);
    await changeKey(service.dataDir, key.id, { scopes: FULL });
    expect(await Promise.all(urls.map(statusOf))).toEqual([200, 200]);
  });

  it('stores nothing with a token if the key has lost blob:write', async () => {
    const { token } = (await create('/v1/upload-tokens', { max_uses: 5 })).response;
    await changeKey(service.dataDir, key.id, { scopes: ['blob:read'] });
    const httpResponse = await service.upload('x', 'shrunk.txt', { credential: token! });
    expect([httpResponse.status, httpResponse.error.details]).toEqual([401, { reason: 'key_revoked' }]);
    const self = await service.call('GET', '/v1/upload-tokens/self', { credential: token! });
    expect([self.status, self.error.details]).toEqual([401, { reason: 'key_revoked' }]);
  });

  it('works from the allowed addresses of the key, tokens from every address', async () => {
    const { token } = (await create('/v1/upload-tokens')).response;
    const urls = [await link(), (await share())['url']!];
    await changeKey(service.dataDir, key.id, { allowedIps: ['203.0.113.7'] });
    expect(await Promise.all(urls.map(statusOf))).toEqual([404, 404]);
    const spoofed = await fetch(urls[0]!, { headers: { 'X-Forwarded-For': '203.0.113.7' } });
    expect(spoofed.status).toBe(404);
    expect((await service.upload('x', 'from-anywhere.txt', { credential: token! })).status).toBe(201);
    await changeKey(service.dataDir, key.id, { allowedIps: ['::ffff:127.0.0.1', '::1'] });
    expect(await Promise.all(urls.map(statusOf))).toEqual([200, 200]);
  });

  it('is bound to the key in the signature of a link', async () => {
    const url = await link();
    const other = await newKey(FULL);
    expect(url).toContain(`key=${key.id}`);
    for (const forged of [url.replace(/&key=[^&]*/, ''), url.replace(key.id, other.id), url.replace(key.id, '')])
      expect(await statusOf(forged)).toBe(404);
  });

  it('is rejected at the commit if the key lost blob:write during the upload', async () => {
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(new Uint8Array(300_000));
        await expect.poll(uploadsInProgress).toBe(1);
        await changeKey(service.dataDir, key.id, { scopes: ['blob:read'] });
        controller.enqueue(new Uint8Array(10));
        controller.close();
      },
    });
    const httpResponse = await service.put('shrinking.bin', body as never, { credential: key.secret });
    expect([httpResponse.status, httpResponse.error.code]).toEqual([403, 'API_KEY_SCOPE_DENIED']);
    expect(await service.paths()).not.toContain('shrinking.bin');
  });

  it('cannot continue a resumable upload of a revoked key', async () => {
    const tusClient = new TusClient(() => service);
    const place = locationOf(
      await tusClient.create({ credential: key.secret, length: 4, describe: { filename: 'resumable.txt' } }),
    );
    await revoke();
    const httpResponse = await tusClient.send(place, 0, 'data', { credential: service.key });
    expect([httpResponse.status, httpResponse.error.code]).toEqual([401, 'API_KEY_INVALID']);
    expect(await service.paths()).not.toContain('resumable.txt');
  });
});

describe('a credential that svc-blob or a session created', () => {
  it('is independent of every key', async () => {
    const { core } = service.service;
    const storage = (await core.accounts.mainStorage('main'))!;
    const createdUpload = await core.shares.create(storage, ADMIN_CREATOR, { path: 'doc.txt' }, {});
    const file = (await core.blobs.get(storage, 'doc.txt'))!;
    const query = core.links.query(file, Math.ceil(Date.now() / 1000) + 60, ADMIN_CREATOR);
    expect(query).not.toContain('key=');
    await revoke();
    expect(await statusOf(`${service.url}/s/${createdUpload.id}`)).toBe(200);
    expect(await statusOf(`${service.url}/f/main/doc.txt?${query}`)).toBe(200);
    const token = await core.tokens.create(storage, ADMIN_CREATOR, {
      path: null,
      prefix: null,
      visibility: null,
      cacheControl: null,
      contentDisposition: null,
      fileExpiresAt: null,
      metadata: null,
      maxSize: null,
      allowedExtensions: null,
      overwrite: false,
      allowFetch: false,
      allowDelete: false,
      expiresIn: 60,
      maxUses: 1,
    });
    expect((await service.upload('x', 'independent.txt', { credential: token.token })).status).toBe(201);
  });
});
