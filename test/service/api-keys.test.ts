import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readActivities } from './read-activities.js';
import { signIn } from './session-client.js';
import type { SignedInUser } from './session-client.js';
import { TestService } from './support.js';

interface KeyRecord {
  id: string;
  name: string;
  prefix: string | null;
  last4: string | null;
  scopes: string[];
  allowed_ips: string[];
  created_at: string;
  last_used_at: string | null;
}
type CreatedKey = KeyRecord & { api_key: string };

const KEYS = '/v1/users/me/api-keys';
let service: TestService;
let owner: SignedInUser;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());
beforeEach(async () => void (owner = await signIn(service)));

const create = async (body: object = {}): Promise<CreatedKey> => {
  const { status, response, error } = await owner.call<CreatedKey>('POST', KEYS, {
    body: { name: 'site', scopes: ['blob:read', 'blob:write'], ...body },
  });
  if (status !== 201) throw new Error(JSON.stringify(error));
  return response;
};
const withoutUse = (key: KeyRecord) => ({ ...key, last_used_at: null });
const list = async () => (await owner.call<KeyRecord[]>('GET', KEYS)).response;
const statusOf = async (credential: string) => (await service.call('GET', '/v1/files', { credential })).status;
const accountId = async () => (await service.service.core.sessions.authenticate(owner.cookie.split('=')[1]!)).storage.accountId;

describe('POST /v1/users/me/api-keys', () => {
  it('returns the record with its secret once', async () => {
    const { status, response, headers } = await owner.call<CreatedKey>('POST', KEYS, {
      body: { name: 'reports', scopes: ['blob:write', 'blob:read', 'blob:read'], allowed_ips: ['192.0.2.0/24'] },
    });
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store']);
    const { api_key, ...record } = response;
    expect(api_key).toMatch(/^svc_live_[0-9a-f]{48}$/);
    expect(record).toEqual({
      id: expect.stringMatching(/^key_/),
      name: 'reports',
      prefix: 'svc_live_',
      last4: api_key.slice(-4),
      scopes: ['blob:read', 'blob:write'],
      allowed_ips: ['192.0.2.0/24'],
      created_at: expect.stringMatching(/Z$/),
      last_used_at: null,
    });
    const { headers: listHeaders, response: keys } = await owner.call('GET', KEYS);
    expect(keys).toEqual([record]);
    expect(JSON.stringify([...listHeaders])).not.toContain(api_key);
  });

  it.each([
    ['a missing body', undefined, 'API_KEY_INVALID_NAME'],
    ['a missing name', { name: undefined }, 'API_KEY_INVALID_NAME'],
    ['a name of another type', { name: 7 }, 'API_KEY_INVALID_NAME'],
    ['a name of null', { name: null }, 'API_KEY_INVALID_NAME'],
    ['an empty name', { name: '' }, 'API_KEY_INVALID_NAME'],
    ['a blank name', { name: '  ' }, 'API_KEY_INVALID_NAME'],
    ['a name of 41 characters', { name: 'n'.repeat(41) }, 'API_KEY_INVALID_NAME'],
    ['a name with a control character', { name: 'a\u0000b' }, 'API_KEY_INVALID_NAME'],
    ['missing scopes', { scopes: undefined }, 'API_KEY_INVALID_SCOPES'],
    ['no scope', { scopes: [] }, 'API_KEY_INVALID_SCOPES'],
    ['scopes in a string', { scopes: 'blob:read' }, 'API_KEY_INVALID_SCOPES'],
    ['an unknown scope', { scopes: ['blob:read', 'blob:delete'] }, 'API_KEY_INVALID_SCOPES'],
    ['a scope of another type', { scopes: [{}] }, 'API_KEY_INVALID_SCOPES'],
    ['a preset instead of scopes', { scopes: undefined, preset: 'full' }, 'API_KEY_INVALID_SCOPES'],
    ['addresses of another type', { allowed_ips: '192.0.2.1' }, 'API_KEY_INVALID_IPS'],
    ['addresses of null', { allowed_ips: null }, 'API_KEY_INVALID_IPS'],
    ['a host name', { allowed_ips: ['example.org'] }, 'API_KEY_INVALID_IPS'],
    ['a range that is too long', { allowed_ips: ['192.0.2.0/33'] }, 'API_KEY_INVALID_IPS'],
    ['an address of another type', { allowed_ips: [7] }, 'API_KEY_INVALID_IPS'],
    ['21 addresses', { allowed_ips: Array.from({ length: 21 }, (_, n) => `192.0.2.${n}`) }, 'API_KEY_INVALID_IPS'],
    ['an unknown field', { api_key: 'mine' }, 'VALIDATION_ERROR'],
  ])('refuses %s', async (_, fields, code) => {
    const body = fields && { name: 'site', scopes: ['blob:read'], ...fields };
    const { status, error } = await owner.call('POST', KEYS, body && { body });
    expect([status, error.code]).toEqual([400, code]);
    expect(await list()).toEqual([]);
  });

  it('accepts a name of 40 characters outside the basic plane and 20 addresses', async () => {
    const allowed_ips = Array.from({ length: 20 }, (_, n) => `2001:db8::${n}/128`);
    expect(await create({ name: '🗝'.repeat(40), allowed_ips })).toMatchObject({ name: '🗝'.repeat(40), allowed_ips });
  });

  it('creates at most ten active keys under fifty parallel requests', async () => {
    const results = await Promise.all(
      Array.from({ length: 50 }, () => owner.call<CreatedKey>('POST', KEYS, { body: { name: 'k', scopes: ['blob:read'] } })),
    );
    expect(results.filter(({ status }) => status === 201).length).toBe(10);
    const refused = results.filter(({ status }) => status !== 201);
    expect(new Set(refused.map(({ status, error }) => `${status} ${error.code}`))).toEqual(
      new Set(['409 API_KEY_LIMIT_REACHED']),
    );
    expect(refused[0]!.error.details).toEqual({ limit: 10 });
    const keys = await list();
    expect(keys.length).toBe(10);
    await owner.call('DELETE', `${KEYS}/${keys[0]!.id}`);
    await create();
  });
});

describe('PATCH /v1/users/me/api-keys/{id}', () => {
  it('changes the name, the scopes and the addresses, and keeps the secret', async () => {
    const { id, api_key } = await create();
    const { status, response } = await owner.call<KeyRecord>('PATCH', `${KEYS}/${id}`, {
      body: { name: 'renamed', scopes: ['blob:write'], allowed_ips: ['127.0.0.1', '::1'] },
    });
    expect([status, response.name, response.scopes, response.allowed_ips]).toEqual([
      200,
      'renamed',
      ['blob:write'],
      ['127.0.0.1', '::1'],
    ]);
    expect(response).not.toHaveProperty('api_key');
    expect(await statusOf(api_key)).toBe(403);
    await owner.call('PATCH', `${KEYS}/${id}`, { body: { scopes: ['blob:read'] } });
    expect(await statusOf(api_key)).toBe(200);
    expect((await list())[0]).toMatchObject({ name: 'renamed', scopes: ['blob:read'], allowed_ips: ['127.0.0.1', '::1'] });
  });

  it.each([
    [{ name: 7 }, 'API_KEY_INVALID_NAME'],
    [{ name: null }, 'API_KEY_INVALID_NAME'],
    [{ scopes: [] }, 'API_KEY_INVALID_SCOPES'],
    [{ allowed_ips: ['x'] }, 'API_KEY_INVALID_IPS'],
    [{}, 'VALIDATION_ERROR'],
    [{ api_key: 'mine' }, 'VALIDATION_ERROR'],
  ])('refuses %j', async (body, code) => {
    const { id } = await create();
    const { status, error } = await owner.call('PATCH', `${KEYS}/${id}`, { body });
    expect([status, error.code]).toEqual([400, code]);
  });
});

describe('the key routes', () => {
  it.each([
    ['PATCH', '', { name: 'x' }],
    ['POST', '/rotate', {}],
    ['DELETE', '', undefined],
  ] as const)('respond to %s%s of an unknown, foreign or revoked key with API_KEY_NOT_FOUND', async (method, path, body) => {
    const foreign = await create();
    owner = await signIn(service);
    const revoked = await create();
    await owner.call('DELETE', `${KEYS}/${revoked.id}`);
    for (const id of ['key_unknown', 'k'.repeat(300), foreign.id, revoked.id]) {
      const { status, error } = await owner.call(method, `${KEYS}/${id}${path}`, body && { body });
      expect([status, error.code]).toEqual([404, 'API_KEY_NOT_FOUND']);
    }
    expect(await statusOf(foreign.api_key)).toBe(200);
  });

  it.each([
    ['GET', KEYS, undefined],
    ['POST', KEYS, { name: 'x', scopes: ['blob:read'] }],
    ['PATCH', `${KEYS}/ID`, { name: 'x' }],
    ['POST', `${KEYS}/ID/rotate`, {}],
    ['DELETE', `${KEYS}/ID`, undefined],
    ['POST', '/v1/users/me/generate-api-key', undefined],
    ['POST', '/v1/users/me/downgrade', undefined],
  ] as const)('refuse %s %s with a key of every scope, without details', async (method, path, body) => {
    const { response: key } = await owner.call<CreatedKey>('POST', '/v1/users/me/generate-api-key');
    const before = await list();
    const { status, error } = await service.call(method, path.replace('ID', key.id), {
      credential: key.api_key,
      ...(body && { body }),
    });
    expect([status, error.code]).toEqual([403, 'API_KEY_SCOPE_DENIED']);
    expect(error).not.toHaveProperty('details');
    expect((await list()).map(withoutUse)).toEqual(before.map(withoutUse));
  });

  it('record every change in the activity log, without secrets', async () => {
    const key = await create({ name: 'logged' });
    await owner.call('PATCH', `${KEYS}/${key.id}`, { body: { scopes: ['blob:read'] } });
    const { response: rotated } = await owner.call<CreatedKey>('POST', `${KEYS}/${key.id}/rotate`, {
      body: { overlap_seconds: 60 },
    });
    await owner.call('DELETE', `${KEYS}/${key.id}`);
    const activities = await readActivities(service, await accountId());
    expect(activities.map(({ action, details_json }) => [action, JSON.parse(details_json)])).toEqual([
      ['api_key.created', { name: 'logged', scopes: ['blob:read', 'blob:write'], allowed_ips: [] }],
      ['api_key.revoked', { name: 'logged' }],
      ['api_key.rotated', { name: 'logged', overlap_seconds: 60 }],
      ['api_key.updated', { scopes: ['blob:read'] }],
    ]);
    for (const { target_id, author_id, origin } of activities)
      expect([target_id, author_id, origin]).toEqual([key.id, owner.user.id, 'user']);
    for (const secret of [key.api_key, rotated.api_key]) expect(JSON.stringify(activities)).not.toContain(secret.slice(9));
  });
});

describe('POST /v1/users/me/generate-api-key', () => {
  const generate = () => owner.call<CreatedKey>('POST', '/v1/users/me/generate-api-key');

  it('leaves one key named CLI with every scope after fifty parallel requests', async () => {
    const results = await Promise.all(Array.from({ length: 50 }, generate));
    expect(results.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 49 }, () => 200), 201]);
    const keys = await list();
    expect(keys.map(({ name, scopes }) => [name, scopes.length])).toEqual([['CLI', 22]]);
    const statuses = await Promise.all(results.map(({ response }) => statusOf(response.api_key)));
    expect(statuses.filter((status) => status === 200).length).toBe(1);
  });

  it('gives the key every scope again and keeps its allowed addresses', async () => {
    const first = await generate();
    const { id } = first.response;
    await owner.call('PATCH', `${KEYS}/${id}`, { body: { scopes: ['blob:read'], allowed_ips: ['203.0.113.7'] } });
    const second = await generate();
    expect(second.response).toMatchObject({ id, name: 'CLI', allowed_ips: ['203.0.113.7'] });
    expect(second.response.scopes.length).toBe(22);
    expect(second.response.api_key).not.toBe(first.response.api_key);
  });

  it('is refused if the account has ten other keys', async () => {
    for (let count = 0; count < 10; count++) await create();
    expect([(await generate()).status, (await generate()).error.code]).toEqual([409, 'API_KEY_LIMIT_REACHED']);
  });
});

it('POST /v1/users/me/downgrade responds with 404 until plans can be bought', async () => {
  const { status, error } = await owner.call('POST', '/v1/users/me/downgrade');
  expect([status, error.code]).toEqual([404, 'NOT_FOUND']);
});
