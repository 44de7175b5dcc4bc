import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { withMetadata } from './change-key.js';
import { signIn } from './session-client.js';
import type { SignedInUser } from './session-client.js';
import { TestService } from './support.js';

interface CreatedKey {
  id: string;
  last4: string;
  api_key: string;
  scopes: string[];
}

const KEYS = '/v1/users/me/api-keys';
let service: TestService;
let owner: SignedInUser;
let key: CreatedKey;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());
beforeEach(async () => {
  owner = await signIn(service);
  const body = { name: 'site', scopes: ['blob:read', 'blob:write', 'account:read'] };
  ({ response: key } = await owner.call<CreatedKey>('POST', KEYS, { body }));
});
afterEach(() => service.advanceClock(0));

const rotate = (body?: object) => owner.call<CreatedKey>('POST', `${KEYS}/${key.id}/rotate`, body && { body });
const rotated = async (overlap_seconds: number) => (await rotate({ overlap_seconds })).response.api_key;
const statusOf = async (credential: string) => (await service.call('GET', '/v1/files', { credential })).status;
const statusesOf = (secrets: string[]) => Promise.all(secrets.map(statusOf));

describe('POST /v1/users/me/api-keys/{id}/rotate', () => {
  it('ends the secret before at once by default', async () => {
    const { status, response, headers } = await rotate();
    expect([status, response.id, headers.get('cache-control')]).toEqual([200, key.id, 'no-store']);
    expect(response.last4).toBe(response.api_key.slice(-4));
    expect(await statusesOf([key.api_key, response.api_key])).toEqual([401, 200]);
  });

  it('keeps the secret before valid for the overlap, for the same key', async () => {
    const secret = await rotated(3600);
    const { keys } = service.service.core;
    for (const one of [key.api_key, secret]) expect((await keys.authenticate(one)).key.id).toBe(key.id);
    await service.advanceClock(3_590_000);
    expect(await statusesOf([key.api_key, secret])).toEqual([200, 200]);
    await service.advanceClock(3_610_000);
    expect(await statusesOf([key.api_key, secret])).toEqual([401, 200]);
  });

  it('ends the secret of an earlier rotation', async () => {
    const second = await rotated(3600);
    const third = await rotated(3600);
    expect(await statusesOf([key.api_key, second, third])).toEqual([401, 200, 200]);
    const fourth = await rotated(0);
    expect(await statusesOf([second, third, fourth])).toEqual([401, 401, 200]);
  });

  it('leaves the two newest secrets after parallel rotations', async () => {
    const secrets = await Promise.all(Array.from({ length: 10 }, () => rotated(3600)));
    const statuses = await statusesOf([key.api_key, ...secrets]);
    expect(statuses.filter((status) => status === 200).length).toBe(2);
    expect(statuses[0]).toBe(401);
  });

  it('leaves both secrets the rights of the key, and revoking it ends both', async () => {
    const secret = await rotated(3600);
    await owner.call('PATCH', `${KEYS}/${key.id}`, { body: { scopes: ['account:read'] } });
    expect(await statusesOf([key.api_key, secret])).toEqual([403, 403]);
    await owner.call('DELETE', `${KEYS}/${key.id}`);
    expect(await statusesOf([key.api_key, secret])).toEqual([401, 401]);
  });

  it('keeps what the key created', async () => {
    const body = { max_uses: 2 };
    const { response } = await service.call<{ token: string }>('POST', '/v1/upload-tokens', { body, credential: key.api_key });
    await rotated(0);
    expect((await service.upload('x', 'rotated.txt', { credential: response.token })).status).toBe(201);
  });

  it.each([-1, 86_401, 1.5, '60', null])('refuses an overlap of %j', async (overlap_seconds) => {
    const { status, error } = await rotate({ overlap_seconds });
    expect([status, error.code, error.path]).toEqual([400, 'VALIDATION_ERROR', 'overlap_seconds']);
    expect(await statusOf(key.api_key)).toBe(200);
  });

  it('accepts an overlap of a day', async () => {
    expect((await rotate({ overlap_seconds: 86_400 })).status).toBe(200);
  });
});

describe('a legacy key of 64 hexadecimal characters', () => {
  const secret = () => Array.from({ length: 64 }, () => '0123456789abcdef'[Math.floor(Math.random() * 16)]).join('');
  const importKey = async (legacy: string) => {
    const { storage } = await service.service.core.sessions.authenticate(owner.cookie.split('=')[1]!);
    return service.service.core.keys.importLegacy(storage.accountId, { name: 'old', secret: legacy });
  };

  it('has every scope, whatever is stored, and so does what it created', async () => {
    const legacy = secret();
    const { id, scopes, prefix, last4 } = await importKey(legacy);
    expect([scopes.length, prefix, last4]).toEqual([22, '', legacy.slice(-4)]);
    await withMetadata(service.dataDir, (metadata) =>
      metadata.write((query) => query.updateTable('api_keys').set({ scopes_json: '[]' }).where('id', '=', id).execute()),
    );
    const form = await service.upload('x', `${id}.txt`, { credential: legacy });
    expect(form.status).toBe(201);
    const { response } = await service.call<{ token: string }>('POST', '/v1/upload-tokens', { body: {}, credential: legacy });
    expect((await service.upload('x', `${id}-2.txt`, { credential: response.token })).status).toBe(201);
    expect((await service.call('GET', KEYS, { credential: legacy })).status).toBe(403);
  });

  it('keeps its scopes until a rotation makes it an ordinary key with every scope', async () => {
    const legacy = secret();
    const { id } = await importKey(legacy);
    const narrow = () => owner.call<CreatedKey>('PATCH', `${KEYS}/${id}`, { body: { scopes: ['account:read'] } });
    expect([(await narrow()).status, (await narrow()).error.code]).toEqual([400, 'API_KEY_INVALID_SCOPES']);
    const { response } = await owner.call<CreatedKey>('POST', `${KEYS}/${id}/rotate`, { body: { overlap_seconds: 60 } });
    expect([response.api_key.slice(0, 9), response.scopes.length]).toEqual(['svc_live_', 22]);
    expect(await statusesOf([legacy, response.api_key])).toEqual([200, 200]);
    expect((await narrow()).status).toBe(200);
    expect(await statusesOf([legacy, response.api_key])).toEqual([403, 403]);
  });

  it('is not imported twice, nor with a secret of another form', async () => {
    const legacy = secret();
    await importKey(legacy);
    for (const refused of [legacy, key.api_key, legacy.toUpperCase(), legacy.slice(1)])
      await expect(importKey(refused)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', path: 'api_key' });
  });
});
