import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withMetadata } from './change-key.js';
import { authorizePath, exchange, grant, newClient, newVerifier, secretOf, submitConsent, visit } from './oauth-flow.js';
import type { FlowResponse } from './oauth-flow.js';
import { signIn } from './session-client.js';
import type { SignedInUser } from './session-client.js';
import { TestService } from './support.js';

let service: TestService;
let user: SignedInUser;

beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service.stop());

const newUser = async () => (user = await signIn(service));
const accountOf = async ({ user: { id } }: SignedInUser): Promise<string> =>
  withMetadata(service.dataDir, async ({ db }) => {
    const row = await db.selectFrom('users').select('account_id').where('id', '=', id).executeTakeFirstOrThrow();
    return row.account_id;
  });
const keysOf = async (owner: SignedInUser) => service.service.core.keys.list(await accountOf(owner));
const activeKeysOf = async (owner: SignedInUser) => (await keysOf(owner)).filter(({ revokedAt }) => revokedAt === null);
const statusOfKey = async (key: string) => (await service.call('GET', '/v1/files', { credential: key })).status;
const refusal = ({ status, json }: FlowResponse) => `${status} ${json['error']}`;

describe('the exchange of a code', () => {
  it('returns an API key without expiry and refresh token, which is not cached', async () => {
    const granted = await grant(service, await newUser());
    const { status, headers, json } = await exchange(service, granted);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(json).toEqual({
      access_token: expect.stringMatching(/^svc_live_[0-9a-f]{48}$/),
      token_type: 'Bearer',
      scope: 'blob:read blob:write',
    });
    expect(await statusOfKey(json['access_token']!)).toBe(200);
  });

  it('names the key after the client and lists it with a prefix', async () => {
    const granted = await grant(service, await newUser(), { name: 'My editor' });
    await exchange(service, granted);
    expect((await keysOf(user)).map(({ name }) => name)).toEqual(['oauth:My editor']);
  });

  it('names a key whose listed name a client sends back, without a second prefix', async () => {
    const name = 'N'.repeat(40);
    await exchange(service, await grant(service, await newUser(), { name }));
    const [key] = (await user.call<{ id: string; name: string }[]>('GET', '/v1/users/me/api-keys')).response;
    for (const sent of [key!.name, name, 'oauth:oauth:' + name]) {
      const { status, response } = await user.call<{ name: string }>('PATCH', `/v1/users/me/api-keys/${key!.id}`, {
        body: { name: sent },
      });
      expect([status, response.name]).toEqual([200, `oauth:${name}`]);
    }
    // Without a client, a key cannot look like that of one.
    const body = { name: 'oauth:Editor', scopes: ['blob:read'] };
    expect((await user.call('POST', '/v1/users/me/api-keys', { body })).response).toMatchObject({ name: 'Editor' });
  });

  it('yields one key in 50 parallel requests', async () => {
    const granted = await grant(service, await newUser());
    const all = await Promise.all(Array.from({ length: 50 }, () => exchange(service, granted)));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(all.filter(({ status }) => status !== 200).map(refusal))).toEqual(new Set(['400 invalid_grant']));
    expect(await keysOf(user)).toHaveLength(1);
  });

  it('revokes the key when the code is replayed, even without the verifier', async () => {
    for (const changes of [{}, { code_verifier: newVerifier() }]) {
      const granted = await grant(service, await newUser());
      const { json } = await exchange(service, granted);
      const key = json['access_token']!;
      expect(await statusOfKey(key)).toBe(200);
      expect(refusal(await exchange(service, granted, changes))).toBe('400 invalid_grant');
      expect(await statusOfKey(key)).toBe(401);
      expect(await activeKeysOf(user)).toEqual([]);
    }
  });

  it('is possible for 60 seconds', async () => {
    const early = await grant(service, await newUser());
    try {
      await service.advanceClock(30_000);
      expect((await exchange(service, early)).status).toBe(200);
      await service.advanceClock(0);
      const late = await grant(service, user);
      await service.advanceClock(61_000);
      expect(refusal(await exchange(service, late))).toBe('400 invalid_grant');
    } finally {
      await service.advanceClock(0);
    }
  });

  it('is refused for another client, redirect, verifier or code', async () => {
    const granted = await grant(service, await newUser());
    const refused = [
      { client_id: await newClient(service, 'Another') },
      { redirect_uri: 'https://tool.example.org/callback/' },
      { code_verifier: newVerifier() },
      { code_verifier: 'short' },
      { code: `${granted.code}0` },
    ];
    for (const changes of refused) expect(refusal(await exchange(service, granted, changes))).toBe('400 invalid_grant');
    expect(await keysOf(user)).toEqual([]);
    expect((await exchange(service, granted)).status).toBe(200);
  });

  it('is refused with an unknown client', async () => {
    const granted = await grant(service, await newUser());
    for (const client_id of ['unknown', `${granted.clientId}x`, `${granted.clientId}.x`])
      expect(refusal(await exchange(service, granted, { client_id }))).toBe('401 invalid_client');
  });

  it('is refused without a parameter or with another grant', async () => {
    const granted = await grant(service, await newUser());
    for (const name of ['grant_type', 'client_id', 'code', 'redirect_uri', 'code_verifier'])
      expect(refusal(await exchange(service, granted, { [name]: undefined }))).toBe('400 invalid_request');
    for (const grant_type of ['refresh_token', 'client_credentials'])
      expect(refusal(await exchange(service, granted, { grant_type }))).toBe('400 unsupported_grant_type');
  });

  it('accepts only the own origin as resource', async () => {
    const origin = service.ownUrl;
    // Replicas without a public URL have an issuer each.
    const replica = { url: origin };
    const granted = await grant(service, await newUser());
    for (const resource of [`${origin}/mcp`, 'https://files.example.org', `${origin}//`, `${origin}?`])
      expect(refusal(await exchange(replica, granted, { resource }))).toBe('400 invalid_target');
    expect((await exchange(replica, granted, { resource: `${origin}/` })).status).toBe(200);
  });

  it('is refused when the user was disabled', async () => {
    const granted = await grant(service, await newUser());
    await withMetadata(service.dataDir, (metadata) =>
      metadata.write((query) =>
        query.updateTable('users').set({ disabled_at: Date.now() }).where('id', '=', user.user.id).execute(),
      ),
    );
    expect(refusal(await exchange(service, granted))).toBe('400 invalid_grant');
    expect(await keysOf(user)).toEqual([]);
  });
});

describe('the limit of ten keys', () => {
  async function createTenKeys(owner: SignedInUser): Promise<{ id: string; secret: string }[]> {
    const accountId = await accountOf(owner);
    const scopes = ['blob:read', 'blob:write'];
    const keys = [];
    for (let n = 1; n <= 10; n++) keys.push(await service.service.core.keys.create(accountId, { name: `key ${n}`, scopes }));
    return keys;
  }

  it('lets the user choose the key to replace, which ends with everything it created', async () => {
    const keys = await createTenKeys(await newUser());
    const [old] = keys;
    const minted = await service.call<{ token: string }>('POST', '/v1/upload-tokens', { credential: old!.secret, body: {} });
    const page = await visit(service, authorizePath(await newClient(service), newVerifier()), user.cookie);
    expect(page.text).toContain('Choose a key to replace');
    expect(page.text.match(/type="radio"/g)).toHaveLength(10);
    const unchosen = await submitConsent(service, user.cookie, { consent: secretOf(page) });
    expect([unchosen.status, unchosen.text.includes('Choose the key that the new one replaces')]).toEqual([400, true]);

    const granted = await grant(service, user, { fields: { replaces: old!.id } });
    expect(await statusOfKey(old!.secret)).toBe(200);
    const { json } = await exchange(service, granted);
    expect(await statusOfKey(json['access_token']!)).toBe(200);
    expect(await statusOfKey(old!.secret)).toBe(401);
    const self = await service.call('GET', '/v1/upload-tokens/self', { credential: minted.response.token });
    expect(self.status).toBe(401);
    expect(await activeKeysOf(user)).toHaveLength(10);
  });

  it('holds for parallel exchanges of several codes', async () => {
    const accountId = await accountOf(await newUser());
    for (let n = 1; n <= 8; n++) await service.service.core.keys.create(accountId, { name: `key ${n}`, scopes: ['blob:read'] });
    const granted = [];
    for (let n = 0; n < 6; n++) granted.push(await grant(service, user));
    const all = await Promise.all(granted.map((code) => exchange(service, code)));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(all.filter(({ json }) => json['error'] === 'invalid_grant')).toHaveLength(4);
    expect(await activeKeysOf(user)).toHaveLength(10);
  });

  it('does not let a user replace a key of another account', async () => {
    const [foreign] = await createTenKeys(await newUser());
    await createTenKeys(await newUser());
    const page = await visit(service, authorizePath(await newClient(service), newVerifier()), user.cookie);
    const refused = await submitConsent(service, user.cookie, { consent: secretOf(page), replaces: foreign!.id });
    expect(refused.status).toBe(400);
    expect(await statusOfKey(foreign!.secret)).toBe(200);
  });
});
