import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../server/service/identity/scopes.js';
import type { Scope } from '../../server/service/identity/scopes.js';
import { createKey, signIn } from './session-client.js';
import type { SignedInUser } from './session-client.js';
import { TestService } from './support.js';
import { createWorkspace, expectStatus, outcome } from './workspace-client.js';
import type { TestWorkspace } from './workspace-client.js';

let service: TestService;
let workspace: TestWorkspace;
beforeAll(async () => {
  service = await TestService.start();
  workspace = await createWorkspace(service);
});
afterAll(() => service.stop());

const ESCALATION = [403, 'WORKSPACE_PERMISSION_ESCALATION'];
const path = (rest: string) => `/v1/workspaces/${workspace.id}${rest}`;

/** Creates an API key of a user. */
async function keyOf({ user }: SignedInUser, scopes: readonly Scope[]): Promise<string> {
  return (await createKey(service, user.id, scopes)).secret;
}

describe('a member who manages roles and members', () => {
  const RIGHTS = ['roles:manage', 'members:manage', 'members:read', 'apps:read'] as const;

  it('cannot create or change a role beyond the own permissions', async () => {
    const member = await workspace.member(RIGHTS);
    const small = await workspace.role(['apps:read']);
    const large = await workspace.role(['apps:read', 'blob:manage']);
    const requests: [string, string, object?][] = [
      ['POST', '/roles', { name: 'more', permissions: ['blob:read'] }],
      ['PUT', `/roles/${small.id}`, { permissions: ['apps:read', 'apps:delete'] }],
      ['PUT', `/roles/${member.roleId}`, { permissions: [...RIGHTS, 'blob:manage'] }],
      // Roles that already have more.
      ['PUT', `/roles/${large.id}`, { name: 'renamed' }],
      ['PUT', `/roles/${large.id}`, { permissions: [] }],
      ['DELETE', `/roles/${large.id}`],
    ];
    for (const [method, rest, body] of requests)
      expect([rest, ...outcome(await member.call(method, path(rest), { ...(body && { body }) }))]).toEqual([rest, ...ESCALATION]);
    expect(outcome(await member.call('PUT', path(`/roles/${small.id}`), { body: { permissions: [] } }))).toEqual([200]);
  });

  it('cannot give a member or invite a role beyond the own permissions, nor change members who have more', async () => {
    const member = await workspace.member(RIGHTS);
    const other = await workspace.member([]);
    const stronger = await workspace.member(['blob:read']);
    const large = await workspace.role([...RIGHTS, 'blob:read']);
    const requests: [string, string, object?][] = [
      ['PUT', `/members/${other.user.id}`, { role_id: large.id }],
      ['PUT', `/members/${member.user.id}`, { role_id: large.id }],
      ['PUT', `/members/${stronger.user.id}`, { role_id: other.roleId }],
      ['DELETE', `/members/${stronger.user.id}`],
      ['POST', '/invites', { role_id: large.id }],
    ];
    for (const [method, rest, body] of requests)
      expect([rest, ...outcome(await member.call(method, path(rest), { ...(body && { body }) }))]).toEqual([rest, ...ESCALATION]);
    expect(outcome(await member.call('PUT', path(`/members/${other.user.id}`), { body: { role_id: member.roleId } }))).toEqual([
      200,
    ]);
  });

  it('needs the permission of each change', async () => {
    const member = await workspace.member(['apps:read', 'members:read']);
    const role = await workspace.role([]);
    const requests: [string, string, string, object?][] = [
      ['roles:manage', 'POST', '/roles', { name: 'more', permissions: [] }],
      ['roles:manage', 'PUT', `/roles/${role.id}`, { name: 'renamed' }],
      ['roles:manage', 'DELETE', `/roles/${role.id}`],
      ['members:manage', 'PUT', `/members/${member.user.id}`, { role_id: role.id }],
      ['members:manage', 'POST', '/invites', { role_id: role.id }],
      ['members:manage', 'GET', '/invites'],
      ['members:manage', 'DELETE', '/invites/inv_x'],
      ['activities:read', 'GET', '/activities'],
      ['activities:read', 'GET', '/activities/export'],
    ];
    for (const [required, method, rest, body] of requests) {
      const response = await member.call(method, path(rest), { ...(body && { body }) });
      expect([rest, ...outcome(response), response.error.details]).toEqual([
        rest,
        403,
        'WORKSPACE_PERMISSION_DENIED',
        { required },
      ]);
    }
  });
});

describe('an API key', () => {
  it('grants Blob Storage only with the same scopes', async () => {
    const client = workspace.owner;
    const role = await workspace.role(['blob:read']);
    const other = await workspace.member([]);
    const limited = await keyOf(client, ['workspaces:write', 'blob:write']);
    const requests: [string, string, object?][] = [
      ['POST', '/roles', { name: 'key role', permissions: ['blob:read'] }],
      ['PUT', `/members/${other.user.id}`, { role_id: role.id }],
      ['PUT', `/roles/${other.roleId}`, { permissions: ['blob:read'] }],
    ];
    for (const [method, rest, body] of requests)
      expect([rest, ...outcome(await service.call(method, path(rest), { credential: limited, ...(body && { body }) }))]).toEqual([
        rest,
        ...ESCALATION,
      ]);
    const full = await keyOf(client, ['workspaces:write', 'blob:read']);
    for (const [method, rest, body] of requests)
      expect((await service.call(method, path(rest), { credential: full, ...(body && { body }) })).status).toBeLessThan(300);
  });

  it('of a member does no more than the role allows', async () => {
    const member = await workspace.member(['apps:read']);
    const key = await keyOf(member, ['blob:read', 'blob:write', 'workspaces:write']);
    const ask = (method: string, url: string, body?: object) =>
      service.call(method, url + workspace.query, { credential: key, ...(body && { body }) });
    const denied = (required: string) => [403, 'WORKSPACE_PERMISSION_DENIED', { required }];
    const read = await ask('GET', '/v1/files');
    expect([...outcome(read), read.error.details]).toEqual(denied('blob:read'));
    for (const [url, body] of [
      ['/v1/upload-tokens', {}],
      ['/v1/shares', { path: 'a' }],
      ['/v1/s3-credentials', {}],
    ] as const) {
      const written = await ask('POST', url, body);
      expect([url, ...outcome(written), written.error.details]).toEqual([url, ...denied('blob:manage')]);
    }
    expect(
      outcome(await service.call('POST', path('/roles'), { credential: key, body: { name: 'own', permissions: [] } })),
    ).toEqual([403, 'WORKSPACE_PERMISSION_DENIED']);
    expect((await service.call('GET', '/v1/files', { credential: key })).status).toBe(200);
  });

  it('needs both its scope and the permission to create a credential for reading', async () => {
    const member = await workspace.member(['blob:manage']);
    const key = await keyOf(member, ['blob:read', 'blob:write']);
    for (const [url, body] of [
      ['/v1/shares', { path: 'a' }],
      ['/v1/s3-credentials', {}],
      ['/v1/rules', { prefix: 'x', visibility: 'public' }],
    ] as const) {
      const response = await service.call('POST', url + workspace.query, { credential: key, body });
      expect([url, ...outcome(response), response.error.details]).toEqual([
        url,
        403,
        'WORKSPACE_PERMISSION_DENIED',
        { required: 'blob:read' },
      ]);
    }
  });

  it('cannot invite, transfer, or read the activity log', async () => {
    const key = await keyOf(workspace.owner, SCOPES);
    const role = await workspace.roleNamed('viewer');
    const requests: [string, string, object?][] = [
      ['POST', path('/invites'), { role_id: role.id }],
      ['POST', path('/transfer'), { user_id: 'user_x' }],
      ['GET', path('/activities')],
      ['GET', path('/activities/export')],
      ['GET', '/v1/users/me/activities'],
    ];
    for (const [method, url, body] of requests) {
      const response = await service.call(method, url, { credential: key, ...(body && { body }) });
      expect([url, ...outcome(response), response.error.details]).toEqual([url, 403, 'API_KEY_SCOPE_DENIED', undefined]);
    }
  });
});

describe('parallel changes', () => {
  it('of the own role cannot grant what was just taken', async () => {
    const member = await workspace.member(['roles:manage', 'blob:read', 'members:read']);
    const results = await Promise.all([
      workspace.call('PUT', `/roles/${member.roleId}`, { permissions: ['roles:manage'] }),
      ...Array.from({ length: 5 }, (_, index) =>
        member.call('POST', path('/roles'), { body: { name: `raced ${index}`, permissions: ['blob:read'] } }),
      ),
    ]);
    expect(expectStatus(results[0]!, 200)).toMatchObject({ permissions: ['roles:manage'] });
    const late = await member.call('POST', path('/roles'), { body: { name: 'late', permissions: ['blob:read'] } });
    expect(outcome(late)).toEqual(ESCALATION);
  });
});

describe('a session', () => {
  it('of another origin changes nothing', async () => {
    const stranger = await signIn(service);
    for (const origin of ['https://evil.example', 'null', service.url.replace(/\d+$/, '1')])
      expect(
        outcome(await stranger.call('POST', '/v1/workspaces', { body: { name: 'x' }, headers: { Origin: origin } })),
      ).toEqual([403, 'ORIGIN_DENIED']);
  });
});
