import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CreatedUploadToken, FileRecord } from '../../src/protocol/types.js';
import type { OpenApi } from '../../server/service/rest/openapi/openapi.js';
import { withMetadata } from './change-key.js';
import { createKey, signIn } from './session-client.js';
import type { SignedInUser } from './session-client.js';
import { TestService } from './support.js';
import { locationOf, TusClient } from './tus-client.js';
import { createWorkspace, expectStatus, outcome } from './workspace-client.js';
import type { TestWorkspace } from './workspace-client.js';

let service: TestService;
let workspace: TestWorkspace;
beforeAll(async () => {
  service = await TestService.start();
  workspace = await createWorkspace(service);
});
afterAll(() => service.stop());

const PERMISSION = { 'blob:read': 'blob:read', 'blob:write': 'blob:manage' } as const;
type BlobScope = keyof typeof PERMISSION;

interface BlobRoute {
  method: string;
  path: string;
  scope: BlobScope;
  /** Whether the query has `workspace_id`. */
  takesWorkspace: boolean;
}

/** Lists every route that a key with a scope of Blob Storage may use. */
async function blobRoutes(): Promise<BlobRoute[]> {
  const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApi;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { security, parameters }]) => {
      const scopes = security.flatMap((one) => ('apiKey' in one ? (one['apiKey'] as string[]) : []));
      const takesWorkspace = parameters.some((one) => one.in === 'query' && one.name === 'workspace_id');
      return scopes
        .filter((scope): scope is BlobScope => scope in PERMISSION)
        .map((scope) => ({ method, path, scope, takesWorkspace }));
    }),
  );
}

describe('every route of Blob Storage', () => {
  it('has workspace_id in its schema', async () => {
    const routes = await blobRoutes();
    expect(routes.length).toBeGreaterThan(35);
    expect(routes.filter(({ takesWorkspace }) => !takesWorkspace)).toEqual([]);
  });

  it('requires the permission of its scope, and hides the workspace from strangers and expired members', async () => {
    const clients = {
      none: await workspace.member(['apps:read', 'members:manage']),
      reader: await workspace.member(['blob:read']),
      manager: await workspace.member(['blob:manage']),
      both: await workspace.member(['blob:read', 'blob:manage']),
      expired: await workspace.member(['blob:read', 'blob:manage']),
      stranger: await signIn(service),
      owner: workspace.owner,
    };
    await expire(clients.expired);
    for (const { method, path, scope } of await blobRoutes()) {
      const required = PERMISSION[scope];
      const ask = async (client: SignedInUser): Promise<unknown[]> => {
        const response = await client.call(method.toUpperCase(), path.replace(/\{\w+\}/g, 'x') + workspace.query);
        if (method === 'head') return [response.status];
        const { code, details } = response.error;
        return [response.status, code, code === 'WORKSPACE_PERMISSION_DENIED' ? details : {}];
      };
      const is = (...expected: unknown[]) => (method === 'head' ? expected.slice(0, 1) : expected);
      const denied = is(403, 'WORKSPACE_PERMISSION_DENIED', { required });
      const hidden = is(404, 'WORKSPACE_NOT_FOUND', {});
      const name = `${method} ${path}`;
      expect([name, await ask(clients.stranger), await ask(clients.expired)]).toEqual([name, hidden, hidden]);
      expect([name, await ask(clients.none)]).toEqual([name, denied]);
      expect([name, await ask(scope === 'blob:read' ? clients.manager : clients.reader)]).toEqual([name, denied]);
      for (const client of [clients.both, clients.owner, scope === 'blob:read' ? clients.reader : clients.manager]) {
        const given = await ask(client);
        // HEAD of an unknown upload has the status 404 too.
        if (method !== 'head') expect([name, given]).not.toEqual([name, hidden]);
        expect([name, given]).not.toEqual([name, denied]);
        expect([name, given[0]]).not.toEqual([name, 401]);
      }
    }
  }, 240_000);
});

/** Lets a membership expire now. */
const expire = ({ user }: SignedInUser) =>
  withMetadata(service.dataDir, (metadata) =>
    metadata.write((query) =>
      query
        .updateTable('workspace_members')
        .set({ expires_at: 1 })
        .where('workspace_id', '=', workspace.id)
        .where('user_id', '=', user.id)
        .execute(),
    ),
  );

const ownPaths = async (client: SignedInUser, query = '') => {
  const { files } = expectStatus(await client.call<{ files: FileRecord[] }>('GET', `/v1/files${query}`), 200);
  return files.map(({ path }) => path);
};

describe('a member with blob permissions', () => {
  it('stores files in the storage of the owner, and without workspace_id in the own storage', async () => {
    const team = await createWorkspace(service);
    const member = await team.member(['blob:read', 'blob:manage']);
    const key = (await createKey(service, member.user.id, ['blob:read', 'blob:write'])).secret;
    const credential = key;
    const { query } = team;
    expectStatus(await service.put(`put.txt${query}`, 'x', { credential }), 201);
    const form = new FormData();
    form.append('file', new Blob(['x']), 'form.txt');
    expectStatus(await service.call('POST', `/v1/files${query}`, { credential, body: form }), 201);
    expectStatus(await service.call('POST', `/v1/files/batch${query}`, { credential, body: batchForm() }), 200);
    expect((await ownPaths(team.owner)).sort()).toEqual(['batch.txt', 'form.txt', 'put.txt']);
    expect((await ownPaths(member, query)).sort()).toEqual(['batch.txt', 'form.txt', 'put.txt']);
    expect(await ownPaths(member)).toEqual([]);
    expectStatus(await service.put('own.txt', 'x', { credential }), 201);
    expect([await ownPaths(member), (await ownPaths(team.owner)).includes('own.txt')]).toEqual([['own.txt'], false]);
  });

  it('continues a resumable upload at its Location', async () => {
    const member = await workspace.member(['blob:read', 'blob:manage']);
    const credential = (await createKey(service, member.user.id, ['blob:read', 'blob:write'])).secret;
    const tus = new TusClient(() => service);
    const created = await service.call('POST', `/v1/uploads${workspace.query}`, {
      credential,
      headers: { 'Tus-Resumable': '1.0.0', 'Upload-Length': '4', 'Upload-Metadata': `filename ${btoa('tus.txt')}` },
    });
    expect(locationOf(created)).toContain(workspace.query);
    const sent = await tus.send(locationOf(created), 0, 'data', { credential });
    expect([sent.status, sent.response.path]).toEqual([200, 'tus.txt']);
    expect(await ownPaths(workspace.owner)).toContain('tus.txt');
    // Without the workspace, the member's own storage has no such upload.
    expect((await tus.head(locationOf(created).split('?')[0]!, { credential })).status).toBe(404);
  });
});

function batchForm(): FormData {
  const form = new FormData();
  form.append('file', new Blob(['x']), 'batch.txt');
  return form;
}

describe('credentials that a member created', () => {
  const create = async (client: SignedInUser) => {
    const call = async <T>(path: string, body: object) =>
      expectStatus(await client.call<T>('POST', path + workspace.query, { body }), 201);
    const { files } = (await client.call<{ files: FileRecord[] }>('GET', `/v1/files${workspace.query}&prefix=shared`)).response;
    return {
      token: (await call<CreatedUploadToken>('/v1/upload-tokens', { max_uses: 9 })).token,
      share: (await call<{ url: string }>('/v1/shares', { path: 'shared.txt' })).url,
      link: (await call<{ url: string }>(`/v1/files/${files[0]!.id}/links`, {})).url,
    };
  };
  let n = 0;
  const statuses = async ({ token, share, link }: Awaited<ReturnType<typeof create>>) => [
    (await service.upload('x', `from-token-${++n}.txt`, { credential: token })).status,
    (await fetch(share)).status,
    (await fetch(link)).status,
  ];
  beforeAll(async () => {
    const key = await createKey(service, workspace.owner.user.id, ['blob:read', 'blob:write']);
    expectStatus(await service.put('shared.txt', 'shared', { credential: key.secret }), 201);
  });

  it.each<[string, (member: SignedInUser & { roleId: string }) => Promise<unknown>]>([
    ['is removed', (member) => workspace.call('DELETE', `/members/${member.user.id}`)],
    ['leaves', (member) => member.call('DELETE', `/v1/workspaces/${workspace.id}/members/${member.user.id}`)],
    ['expires', (member) => expire(member)],
    ['loses the permissions', (member) => workspace.call('PUT', `/roles/${member.roleId}`, { permissions: ['apps:read'] })],
    [
      'gets another role',
      async (member) =>
        workspace.call('PUT', `/members/${member.user.id}`, { role_id: (await workspace.roleNamed('viewer')).id }),
    ],
  ])('ends when the member %s', async (_, end) => {
    const member = await workspace.member(['blob:read', 'blob:manage']);
    const created = await create(member);
    expect(await statuses(created)).toEqual([201, 200, 200]);
    await end(member);
    expect(await statuses(created)).toEqual([401, 404, 404]);
  });

  it('stays ended when the user joins again', async () => {
    const member = await workspace.member(['blob:read', 'blob:manage']);
    const created = await create(member);
    await workspace.call('DELETE', `/members/${member.user.id}`);
    await workspace.join(member, member.roleId);
    expect(await statuses(created)).toEqual([401, 404, 404]);
    expect(await statuses(await create(member))).toEqual([201, 200, 200]);
  });

  it('stays ended when an expired membership is prolonged or an invite is accepted after it', async () => {
    for (const renew of [
      (member: SignedInUser & { roleId: string }) =>
        workspace.call('PUT', `/members/${member.user.id}`, { role_id: member.roleId, expires_at: null }),
      (member: SignedInUser & { roleId: string }) => workspace.join(member, member.roleId),
    ]) {
      const member = await workspace.member(['blob:read', 'blob:manage']);
      const created = await create(member);
      await expire(member);
      await renew(member);
      expect(outcome(await member.call('GET', `/v1/files${workspace.query}`))).toEqual([200]);
      expect(await statuses(created)).toEqual([401, 404, 404]);
    }
  });

  it('ends with the workspace, while credentials of the owner stay', async () => {
    const other = await createWorkspace(service, workspace.owner);
    const member = await other.member(['blob:read', 'blob:manage']);
    const post = async (client: SignedInUser) =>
      expectStatus(
        await client.call<CreatedUploadToken>('POST', `/v1/upload-tokens${other.query}`, { body: { max_uses: 9 } }),
        201,
      ).token;
    const [byMember, byOwner] = [await post(member), await post(other.owner)];
    expect(outcome(await other.call('DELETE'))).toEqual([200]);
    expect((await service.upload('x', 'deleted-1.txt', { credential: byMember })).status).toBe(401);
    expect((await service.upload('x', 'deleted-2.txt', { credential: byOwner })).status).toBe(201);
    expect(await ownPaths(workspace.owner)).toContain('shared.txt');
  });
});

describe('a transfer', () => {
  it('selects the storage of the new owner, and ends what members created in the old one', async () => {
    const team = await createWorkspace(service);
    const heir = await team.member(['blob:read', 'blob:manage']);
    const third = await team.member(['blob:read', 'blob:manage']);
    const token = async (client: SignedInUser) =>
      (await client.call<CreatedUploadToken>('POST', `/v1/upload-tokens${team.query}`, { body: { max_uses: 9 } })).response.token;
    const tokens = [await token(heir), await token(third)];
    const works = () =>
      Promise.all(tokens.map(async (credential) => (await service.upload('x', `t-${Math.random()}`, { credential })).status));
    expect(await works()).toEqual([201, 201]);
    const put = async (client: SignedInUser, name: string) => {
      const key = await createKey(service, client.user.id, ['blob:write']);
      expectStatus(await service.put(name, 'x', { credential: key.secret }), 201);
    };
    await put(heir, 'of-the-heir.txt');
    const invite = (await team.call<{ token: string }>('POST', '/invites', { role_id: third.roleId })).response.token;
    expect(outcome(await team.call('POST', '/transfer', { user_id: heir.user.id }))).toEqual([200]);

    expect(await ownPaths(heir, team.query)).toEqual(['of-the-heir.txt']);
    expect(await works()).toEqual([401, 401]);
    // The former owner cannot give anybody access to the storage of the new owner.
    for (const client of [third, team.owner])
      expect(outcome(await client.call('GET', `/v1/files${team.query}`))).toEqual([403, 'WORKSPACE_PERMISSION_DENIED']);
    expect(outcome(await (await signIn(service)).call('POST', `/v1/workspaces/invites/${invite}/accept`))).toEqual([
      404,
      'NOT_FOUND',
    ]);
    const members = (await heir.call<{ members: { user_id: string; role: string }[] }>('GET', `/v1/workspaces/${team.id}`))
      .response.members;
    expect(members.find(({ user_id }) => user_id === team.owner.user.id)).toMatchObject({ role: 'admin' });
    expect(members.map(({ user_id }) => user_id)).not.toContain(heir.user.id);
    const path = `/v1/workspaces/${team.id}`;
    expectStatus(
      await heir.call('PUT', `${path}/roles/${third.roleId}`, { body: { permissions: ['blob:read', 'blob:manage'] } }),
      200,
    );
    expect(await ownPaths(third, team.query)).toEqual(['of-the-heir.txt']);

    // Back to the former owner: old tokens stay ended.
    expect(outcome(await heir.call('POST', `${path}/transfer`, { body: { user_id: team.owner.user.id } }))).toEqual([200]);
    await team.call('PUT', `/roles/${third.roleId}`, { permissions: ['blob:read', 'blob:manage'] });
    expect(await works()).toEqual([401, 401]);
  });

  it('accepts an active member only', async () => {
    const team = await createWorkspace(service);
    const stranger = await signIn(service);
    for (const user_id of [stranger.user.id, team.owner.user.id, 'user_x'])
      expect(outcome(await team.call('POST', '/transfer', { user_id }))).toEqual([400, 'VALIDATION_ERROR']);
  });
});
