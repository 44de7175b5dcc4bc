import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PERMISSIONS } from '../../server/service/identity/workspaces/permissions.js';
import type { MemberRecord } from '../../server/service/identity/workspaces/members.js';
import type { WorkspaceRecord } from '../../server/service/identity/workspaces/workspaces.js';
import { signIn } from './session-client.js';
import { TestService } from './support.js';
import { createWorkspace, expectStatus, outcome } from './workspace-client.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());
afterEach(() => service.advanceClock(0));

const DAY = 86_400_000;
const ALL_BUT_BLOB = PERMISSIONS.filter((permission) => !permission.startsWith('blob:'));

describe('a new workspace', () => {
  it('has seed roles of which none opens the storage', async () => {
    const workspace = await createWorkspace(service);
    const { response } = await workspace.call<WorkspaceRecord & { roles: { name: string; permissions: string[] }[] }>('GET');
    expect(response.permissions).toEqual([...PERMISSIONS]);
    expect(response.roles.map(({ name }) => name).sort()).toEqual(['admin', 'developer', 'operator', 'viewer']);
    const admin = response.roles.find(({ name }) => name === 'admin')!;
    expect(admin.permissions).toEqual(ALL_BUT_BLOB.filter((permission) => permission !== 'snapshots:manage'));
    expect(response.roles.flatMap(({ permissions }) => permissions).filter((one) => one.startsWith('blob:'))).toEqual([]);
  });

  it('is listed for its owner and its members, not for strangers', async () => {
    const workspace = await createWorkspace(service);
    const member = await workspace.member(['apps:read']);
    const listed = async (client: typeof member) =>
      (await client.call<{ workspaces: WorkspaceRecord[] }>('GET', '/v1/workspaces')).response.workspaces;
    expect((await listed(workspace.owner as typeof member)).map(({ id }) => id)).toEqual([workspace.id]);
    expect(await listed(member)).toMatchObject([{ id: workspace.id, permissions: ['apps:read'] }]);
    expect((await (await signIn(service)).call('GET', '/v1/workspaces')).response).toEqual({ workspaces: [] });
  });

  it('is limited to an owner for names, deletion and transfer', async () => {
    const workspace = await createWorkspace(service);
    const admin = await workspace.member(ALL_BUT_BLOB);
    const path = `/v1/workspaces/${workspace.id}`;
    const requests = [
      ['PUT', path, { name: 'Mine' }],
      ['DELETE', path],
      ['POST', `${path}/transfer`, { user_id: admin.user.id }],
    ] as const;
    for (const [method, url, body] of requests)
      expect(outcome(await admin.call(method, url, { ...(body && { body }) }))).toEqual([403, 'WORKSPACE_OWNER_ONLY']);
    expect((await workspace.call<WorkspaceRecord>('PUT', '', { name: 'Renamed' })).response.name).toBe('Renamed');
    expect(outcome(await workspace.call('DELETE'))).toEqual([200]);
    expect(outcome(await admin.call('GET', path))).toEqual([404, 'WORKSPACE_NOT_FOUND']);
  });

  it('needs a user', async () => {
    const key = await service.newKey(['workspaces:read', 'workspaces:write']);
    for (const [method, body] of [['GET'], ['POST', { name: 'x' }]] as const)
      expect(outcome(await service.call(method, '/v1/workspaces', { credential: key.secret, ...(body && { body }) }))).toEqual([
        404,
        'USER_NOT_FOUND',
      ]);
  });
});

describe('strangers, removed and expired members', () => {
  it('learn nothing of a workspace', async () => {
    const workspace = await createWorkspace(service);
    const path = `/v1/workspaces/${workspace.id}`;
    const stranger = await signIn(service);
    const removed = await workspace.member([...ALL_BUT_BLOB]);
    expect(outcome(await workspace.call('DELETE', `/members/${removed.user.id}`))).toEqual([200]);
    const expired = await workspace.member([...ALL_BUT_BLOB]);
    const expires_at = new Date(Date.now() + DAY).toISOString();
    const changed = await workspace.call('PUT', `/members/${expired.user.id}`, { role_id: expired.roleId, expires_at });
    expect(changed.response).toMatchObject({ expires_at });
    expect(outcome(await expired.call('GET', path))).toEqual([200]);
    await service.advanceClock(2 * DAY);
    const role = await workspace.roleNamed('viewer');
    const requests: [string, string, object?][] = [
      ['GET', path],
      ['PUT', path, { name: 'x' }],
      ['DELETE', path],
      ['GET', `${path}/members`],
      ['GET', `${path}/roles`],
      ['POST', `${path}/roles`, { name: 'x', permissions: [] }],
      ['PUT', `${path}/members/${expired.user.id}`, { role_id: role.id }],
      ['DELETE', `${path}/members/${expired.user.id}`],
      ['POST', `${path}/invites`, { role_id: role.id }],
      ['GET', `${path}/invites`],
      ['GET', `${path}/activities`],
      ['GET', `${path}/activities/export`],
      ['POST', `${path}/folders`, { name: 'x' }],
      ['PUT', `${path}/favorites/bucket/main`],
      ['POST', `${path}/transfer`, { user_id: stranger.user.id }],
      ['GET', `/v1/files?workspace_id=${workspace.id}`],
    ];
    for (const client of [stranger, removed, expired])
      for (const [method, url, body] of requests)
        expect([url, ...outcome(await client.call(method, url, { ...(body && { body }) }))]).toEqual([
          url,
          404,
          'WORKSPACE_NOT_FOUND',
        ]);
    const { response } = await expired.call<{ workspaces: unknown[] }>('GET', '/v1/workspaces');
    expect(response.workspaces).toEqual([]);
  });
});

describe('members', () => {
  it('are listed with their roles to members with members:read', async () => {
    const workspace = await createWorkspace(service);
    const reader = await workspace.member(['members:read']);
    const other = await workspace.member(['apps:read']);
    const path = `/v1/workspaces/${workspace.id}`;
    const { members } = expectStatus(await reader.call<{ members: MemberRecord[] }>('GET', `${path}/members`), 200);
    expect(members.map(({ user_id }) => user_id)).toEqual([reader.user.id, other.user.id]);
    expect(members[0]).toMatchObject({ email: reader.user.email, role_id: reader.roleId, expires_at: null });
    const denied = await other.call('GET', `${path}/members`);
    expect([...outcome(denied), denied.error.details]).toEqual([
      403,
      'WORKSPACE_PERMISSION_DENIED',
      { required: 'members:read' },
    ]);
    const seen = expectStatus(await other.call<{ members: MemberRecord[]; roles: { id: string }[] }>('GET', path), 200);
    expect([seen.members.map(({ user_id }) => user_id), seen.roles.map(({ id }) => id)]).toEqual([
      [other.user.id],
      [other.roleId],
    ]);
  });

  it('may leave, and the owner stays', async () => {
    const workspace = await createWorkspace(service);
    const member = await workspace.member([]);
    const manager = await workspace.member(['members:manage']);
    const path = `/v1/workspaces/${workspace.id}/members`;
    expect(outcome(await member.call('DELETE', `${path}/${manager.user.id}`))).toEqual([403, 'WORKSPACE_PERMISSION_DENIED']);
    for (const client of [manager, workspace.owner])
      expect(outcome(await client.call('DELETE', `${path}/${workspace.owner.user.id}`))).toEqual([403, 'WORKSPACE_OWNER_ONLY']);
    expect(outcome(await member.call('DELETE', `${path}/${member.user.id}`))).toEqual([200]);
    expect(outcome(await member.call('GET', `/v1/workspaces/${workspace.id}`))).toEqual([404, 'WORKSPACE_NOT_FOUND']);
    expect(outcome(await workspace.call('DELETE', `/members/${member.user.id}`))).toEqual([404, 'USER_NOT_FOUND']);
  });

  it('cannot prolong their own membership', async () => {
    const workspace = await createWorkspace(service);
    const member = await workspace.member(['members:manage']);
    const path = `/v1/workspaces/${workspace.id}/members/${member.user.id}`;
    const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString();
    const fields = { role_id: member.roleId };
    expectStatus(await workspace.owner.call('PUT', path, { body: { ...fields, expires_at: inDays(2) } }), 200);
    for (const expires_at of [null, inDays(3)])
      expect(outcome(await member.call('PUT', path, { body: { ...fields, expires_at } }))).toEqual([
        403,
        'WORKSPACE_PERMISSION_ESCALATION',
      ]);
    expect(outcome(await member.call('PUT', path, { body: { ...fields, expires_at: inDays(1) } }))).toEqual([200]);
    expect(outcome(await workspace.owner.call('PUT', path, { body: { ...fields, expires_at: inDays(-1) } }))).toEqual([
      400,
      'VALIDATION_ERROR',
    ]);
  });
});

describe('a role', () => {
  it('is in use while a member or a valid invite has it', async () => {
    const workspace = await createWorkspace(service);
    const member = await workspace.member([]);
    const remove = async () => outcome(await workspace.call('DELETE', `/roles/${member.roleId}`));
    expect(await remove()).toEqual([409, 'WORKSPACE_ROLE_IN_USE']);
    await workspace.call('POST', '/invites', { role_id: member.roleId, expires_in_days: 1 });
    await workspace.call('DELETE', `/members/${member.user.id}`);
    expect(await remove()).toEqual([409, 'WORKSPACE_ROLE_IN_USE']);
    await service.advanceClock(2 * DAY);
    expect(await remove()).toEqual([200]);
    expect(await remove()).toEqual([404, 'NOT_FOUND']);
  });

  it('has a unique name and known permissions', async () => {
    const workspace = await createWorkspace(service);
    const { id } = await workspace.role([]);
    for (const body of [
      { name: 'viewer', permissions: [] },
      { name: 'x', permissions: ['blob:everything'] },
      { name: ' ', permissions: [] },
    ])
      expect(outcome(await workspace.call('POST', '/roles', body))).toEqual([400, 'VALIDATION_ERROR']);
    expect(outcome(await workspace.call('PUT', `/roles/${id}`, { name: 'viewer' }))).toEqual([400, 'VALIDATION_ERROR']);
    expect((await workspace.call('PUT', `/roles/${id}`, { permissions: ['blob:read', 'apps:read'] })).response).toMatchObject({
      permissions: ['apps:read', 'blob:read'],
    });
  });
});
