import { request } from 'node:http';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signIn } from './session-client.js';
import type { SignedInUser } from './session-client.js';
import { TestService } from './support.js';

interface CreatedKey {
  id: string;
  api_key: string;
}

const KEYS = '/v1/users/me/api-keys';
let service: TestService;
let owner: SignedInUser;
let key: CreatedKey;
beforeAll(async () => void (service = await TestService.start({ s3Port: 0 })));
afterAll(() => service.stop());
beforeEach(async () => {
  owner = await signIn(service);
  ({ response: key } = await owner.call<CreatedKey>('POST', KEYS, { body: { name: 'k', scopes: ['blob:read', 'blob:write'] } }));
});

const patch = (body: object) => owner.call('PATCH', `${KEYS}/${key.id}`, { body });
const call = <T = Record<string, string>>(method: string, path: string, body?: object) =>
  service.call<T>(method, path, { credential: key.api_key, ...(body && { body }) });
const statusOf = async (url: string) => (await fetch(url)).status;
const accountOf = async () => (await service.service.core.sessions.authenticate(owner.cookie.split('=')[1]!)).storage.accountId;

/** Creates one credential of each kind with the key, and returns functions that use it. */
async function createAll() {
  const file = (await service.put('doc.txt', 'text', { credential: key.api_key })).response;
  const { response: token } = await call('POST', '/v1/upload-tokens', { max_uses: 9, overwrite: true });
  const { response: pair } = await call('POST', '/v1/s3-credentials', {});
  const { response: share } = await call('POST', '/v1/shares', { path: 'doc.txt' });
  const { response: link } = await call('POST', `/v1/files/${file.id}/links`, {});
  const client = new S3Client({
    endpoint: service.s3Url!,
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: pair['access_key_id']!, secretAccessKey: pair['secret_access_key']! },
  });
  const Bucket = await accountOf();
  const statusOfS3 = (sent: Promise<{ $metadata: { httpStatusCode?: number } }>) =>
    sent.then(
      ({ $metadata }) => $metadata.httpStatusCode,
      (error: { $metadata: { httpStatusCode?: number } }) => error.$metadata.httpStatusCode,
    );
  return async () => ({
    token: (await service.upload('x', 'token.txt', { credential: token['token']! })).status,
    write: await statusOfS3(client.send(new PutObjectCommand({ Bucket, Key: 'pair.txt', Body: 'x' }))),
    read: await statusOfS3(client.send(new GetObjectCommand({ Bucket, Key: 'doc.txt' }))),
    share: await statusOf(share['url']!),
    link: await statusOf(link['url']!),
  });
}

describe('a change of an API key', () => {
  it('limits the scopes of everything that the key created, at once', async () => {
    const use = await createAll();
    expect(await use()).toEqual({ token: 201, write: 200, read: 200, share: 200, link: 200 });
    await patch({ scopes: ['blob:read'] });
    expect(await use()).toEqual({ token: 401, write: 403, read: 200, share: 200, link: 200 });
    await patch({ scopes: ['blob:write'] });
    expect(await use()).toEqual({ token: 201, write: 200, read: 403, share: 404, link: 404 });
  });

  it('limits the addresses of everything but upload tokens, at once', async () => {
    const use = await createAll();
    await patch({ allowed_ips: ['203.0.113.7'] });
    expect(await use()).toEqual({ token: 201, write: 403, read: 403, share: 404, link: 404 });
    await patch({ allowed_ips: [] });
    expect(await use()).toEqual({ token: 201, write: 200, read: 200, share: 200, link: 200 });
  });

  it('rejects a running upload at its commit if the key lost blob:write', async () => {
    const stats = () => call<{ uploads_in_progress: number }>('GET', '/v1/stats');
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(new Uint8Array(300_000));
        await expect.poll(async () => (await stats()).response.uploads_in_progress, { timeout: 15_000 }).toBe(1);
        await patch({ scopes: ['blob:read'] });
        controller.enqueue(new Uint8Array(10));
        controller.close();
      },
    });
    const { status, error } = await service.put('running.bin', body as never, { credential: key.api_key });
    expect([status, error.code]).toEqual([403, 'API_KEY_SCOPE_DENIED']);
    expect((await call('GET', '/v1/files')).response).toMatchObject({ files: [] });
  });
});

describe('an API key of a disabled user', () => {
  it('ends with the user or with itself, and works again afterwards', async () => {
    const { core } = service.service;
    const accountId = await accountOf();
    for (const table of ['users', 'api_keys'] as const) {
      const set = (disabled_at: number | null) =>
        core.write((query) => query.updateTable(table).set({ disabled_at }).where('account_id', '=', accountId).execute());
      await set(1);
      expect((await call('GET', '/v1/files')).error.code).toBe('API_KEY_INVALID');
      await set(null);
      expect((await call('GET', '/v1/files')).status).toBe(200);
    }
  });

  it('is not created', async () => {
    const accountId = await accountOf();
    const { core } = service.service;
    await core.write((query) => query.updateTable('users').set({ disabled_at: 1 }).where('account_id', '=', accountId).execute());
    await expect(core.keys.create(accountId, { name: 'late', scopes: ['blob:read'] })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      path: 'account',
    });
  });
});

describe('secrets of API keys', () => {
  it('are in no list, metric or error', async () => {
    const { response: rotated } = await owner.call<CreatedKey>('POST', `${KEYS}/${key.id}/rotate`, {
      body: { overlap_seconds: 60 },
    });
    const texts = [
      JSON.stringify((await owner.call('GET', KEYS)).response),
      await (await fetch(`${service.url}/metrics`)).text(),
      JSON.stringify((await service.call('GET', '/v1/files', { credential: `${key.api_key}0` })).error),
      JSON.stringify((await service.call('POST', KEYS, { credential: key.api_key, body: {} })).error),
    ];
    for (const text of texts) for (const secret of [key.api_key, rotated.api_key]) expect(text).not.toContain(secret.slice(9));
  });
});

/** Sends a request as a proxy does that appends the client's address. */
const statusFrom = (url: string, forwardedFor: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = {
      Authorization: `Bearer ${key.api_key}`,
      'X-Forwarded-For': forwardedFor,
      'CF-Connecting-IP': '203.0.113.7',
    };
    const sent = request(`${url}/v1/files`, { headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    sent.on('error', reject).end();
  });

describe('the allowed addresses of an API key', () => {
  it('are compared with the connection and not with headers that a client sends', async () => {
    await patch({ allowed_ips: ['203.0.113.7'] });
    for (const address of ['203.0.113.7', '203.0.113.7, 127.0.0.1', '::ffff:203.0.113.7'])
      expect(await statusFrom(service.ownUrl, address)).toBe(403);
    expect((await call('GET', '/v1/files')).error.code).toBe('API_KEY_IP_DENIED');
  });

  it.each([['127.0.0.1'], ['::ffff:127.0.0.1'], ['127.0.0.0/8'], ['::ffff:127.0.0.0/104']])(
    'accept a client at 127.0.0.1 for %s',
    async (range) => {
      await patch({ allowed_ips: [range] });
      expect(await statusFrom(service.ownUrl, '198.51.100.1')).toBe(200);
    },
  );
});

describe('the allowed addresses of an API key behind a trusted proxy', () => {
  let proxied: TestService;
  beforeAll(async () => void (proxied = await TestService.start({ trustedProxies: ['127.0.0.1', '::1'] })));
  afterAll(() => proxied.stop());

  it('are compared with the last address that the proxy did not add itself', async () => {
    const { secret, id } = await proxied.newKey(['blob:read'], ['203.0.113.7']);
    key = { id, api_key: secret };
    const statuses = [];
    for (const address of [
      '203.0.113.7',
      '::ffff:203.0.113.7',
      '203.0.113.7:4711',
      '198.51.100.1, 203.0.113.7',
      '203.0.113.7, 198.51.100.1',
      '198.51.100.1',
      'unknown',
    ])
      statuses.push(await statusFrom(proxied.ownUrl, address));
    expect(statuses).toEqual([200, 200, 200, 200, 403, 403, 403]);
  });
});
