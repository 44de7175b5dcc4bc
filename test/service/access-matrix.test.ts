import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Metadata, Query } from '../../server/service/drivers/metadata/metadata.js';
import type { OpenApi } from '../../server/service/rest/openapi/openapi.js';
import { SCOPES } from '../../server/service/identity/scopes.js';
import type { Scope } from '../../server/service/identity/scopes.js';
import { PERMISSIONS } from '../../server/service/identity/workspaces/permissions.js';
import type { Permission } from '../../server/service/identity/workspaces/permissions.js';
import { ACCESS } from './access-table.js';
import type { Access, Requirement } from './access-table.js';
import { rowsForBackend } from './backend.js';
import { changeKeyIn, openMetadata } from './change-key.js';
import { createKey, signInWith } from './session-client.js';
import type { SignedInUser } from './session-client.js';
import { TestService } from './support.js';
import type { ServiceResponse } from './support.js';
import { createWorkspace } from './workspace-client.js';
import type { TestWorkspace } from './workspace-client.js';

/** Codes of a request that a credential may not make. */
const REFUSALS = [
  'AUTH_TOKEN_MISSING',
  'API_KEY_INVALID',
  'API_KEY_SCOPE_DENIED',
  'ORIGIN_DENIED',
  'BLOB_UPLOAD_TOKEN_CONSTRAINT',
  'BLOB_UPLOAD_TOKEN_INVALID',
  'WORKSPACE_NOT_FOUND',
  'WORKSPACE_OWNER_ONLY',
  'WORKSPACE_PERMISSION_DENIED',
];
const ALLOWED = 'allowed';

interface MatrixClients {
  owner: SignedInUser;
  /** A signed-in user without access to the workspace. */
  stranger: SignedInUser;
  expired: SignedInUser;
  /** A user who was disabled while signed in, with a key. */
  disabled: SignedInUser;
  disabledKey: string;
  /** A member without permissions, and one with each single permission. */
  members: Map<Permission | 'none', SignedInUser>;
  /** A key of the owner, whose scopes each test sets. */
  key: { id: string; secret: string };
  revokedKey: string;
  uploadToken: string;
}

let service: TestService;
/** The database of the service. */
let metadata: Metadata;
let workspace: TestWorkspace;
let clients: MatrixClients;
let paths: OpenApi['paths'];

beforeAll(async () => {
  service = await TestService.start({ rateLimits: { route: null, minute: null, day: null } });
  metadata = await openMetadata(service.dataDir);
  ({ paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApi);
  workspace = await createWorkspace(service);
  clients = await createClients();
}, 240_000);
afterAll(async () => {
  await metadata.close();
  await service.stop();
});

async function createClients(): Promise<MatrixClients> {
  const { owner } = workspace;
  const users = await metadata.write(createUsers);
  const ALL: Scope[] = [...SCOPES];
  const revoked = await createKey(service, owner.user.id, ALL);
  await service.service.core.keys.revoke(revoked.accountId, revoked.id);
  const disabledKey = await createKey(service, users.disabled.user.id, ALL);
  await metadata.write(async (query) => {
    await query.updateTable('users').set({ disabled_at: 1 }).where('id', '=', users.disabled.user.id).execute();
    await query.updateTable('api_keys').set({ disabled_at: 1 }).where('id', '=', disabledKey.id).execute();
  });
  const token = await owner.call<{ token: string }>('POST', '/v1/upload-tokens', {
    body: { prefix: 'a', max_uses: 100, allow_delete: true },
  });
  return {
    owner,
    ...users,
    disabledKey: disabledKey.secret,
    key: await createKey(service, owner.user.id, ALL),
    revokedKey: revoked.secret,
    uploadToken: token.response.token,
  };
}

/** Creates the users in one transaction, because there are many. */
async function createUsers(query: Query): Promise<Pick<MatrixClients, 'stranger' | 'expired' | 'disabled' | 'members'>> {
  const addMember = async (name: string, permissions: readonly Permission[], expiresAt: number | null = null) => {
    const client = await signInWith(query, service);
    const common = { workspace_id: workspace.id };
    const role = {
      id: `role_${name}`,
      ...common,
      name,
      permissions_json: JSON.stringify(permissions),
      created_at: 1,
      updated_at: 1,
    };
    await query.insertInto('workspace_roles').values(role).execute();
    await query
      .insertInto('workspace_members')
      .values({ id: `mem_${name}`, ...common, user_id: client.user.id, role_id: role.id, expires_at: expiresAt, joined_at: 1 })
      .execute();
    return client;
  };
  const members: MatrixClients['members'] = new Map([['none', await addMember('none', [])]]);
  for (const permission of PERMISSIONS) members.set(permission, await addMember(permission, [permission]));
  return {
    stranger: await signInWith(query, service),
    disabled: await signInWith(query, service),
    expired: await addMember('expired', PERMISSIONS, 1),
    members,
  };
}

/** The parts of a row that requests need. */
interface MatrixRoute {
  method: string;
  /** The path with placeholders. `{id}` of a workspace is filled in for each request. */
  path: string;
  isInWorkspace: boolean;
  json: object | undefined;
}

const urlOf = ({ path, isInWorkspace }: MatrixRoute, id: string, query: string): string =>
  (isInWorkspace ? path.replace('{id}', id) : path).replace('{resource_type}', 'bucket').replace(/\{\w+\}/g, 'x') + query;

/** Shortens a response to what the matrix compares. Responses to HEAD have no code. */
function resultOf({ method }: MatrixRoute, { status, error }: ServiceResponse): string {
  if (method === 'head') return [401, 403].includes(status) ? String(status) : ALLOWED;
  if (!REFUSALS.includes(error.code)) return ALLOWED;
  const { required } = error.details ?? {};
  return `${status} ${error.code}${required === undefined ? '' : ` ${String(required)}`}`;
}

/** Runs requests of one route with different credentials. */
class RouteClient {
  constructor(readonly route: MatrixRoute) {}

  async session(client: SignedInUser, { id = workspace.id, query = '', headers = {} } = {}): Promise<string> {
    const { method, json } = this.route;
    const url = urlOf(this.route, id, query);
    return resultOf(this.route, await client.call(method.toUpperCase(), url, { ...(json && { body: json }), headers }));
  }

  async credential(credential: string | null, id = workspace.id): Promise<string> {
    const { method, json } = this.route;
    const url = urlOf(this.route, id, '');
    return resultOf(this.route, await service.call(method.toUpperCase(), url, { credential, ...(json && { body: json }) }));
  }

  async key(scopes: readonly Scope[], id?: string): Promise<string> {
    await changeKeyIn(metadata, clients.key.id, { scopes });
    return this.credential(clients.key.secret, id);
  }
}

const expected = ({ method }: MatrixRoute, result: string): string =>
  method === 'head' && result !== ALLOWED ? result.slice(0, 3) : result;

async function testCredentials(client: RouteClient, access: Access): Promise<void> {
  const { route } = client;
  const is = (result: string) => expected(route, result);
  const [scope] = access.split(' + ') as [Scope];
  // A workspace of its own, because the owner's requests may delete or rename it.
  const { id } = route.isInWorkspace ? await createWorkspace(service, clients.owner) : workspace;
  const takesTokens = access.endsWith('+ token');
  const isScoped = (SCOPES as readonly string[]).includes(scope);
  const foreign = { headers: { Origin: 'https://evil.example' } };
  const results = {
    none: await client.credential(null, id),
    revoked: await client.credential(clients.revokedKey, id),
    disabledKey: await client.credential(clients.disabledKey, id),
    disabledSession: await client.session(clients.disabled, { id }),
    foreignOrigin: await client.session(clients.owner, { id, ...foreign }),
    uploadToken: await client.credential(clients.uploadToken, id),
    withoutScope: await client.key(
      SCOPES.filter((one) => one !== scope),
      id,
    ),
    withScope: await client.key(isScoped ? [scope] : SCOPES, id),
  };
  expect(results).toEqual({
    none: is('401 AUTH_TOKEN_MISSING'),
    revoked: is('401 API_KEY_INVALID'),
    disabledKey: is('401 API_KEY_INVALID'),
    disabledSession: is('401 AUTH_TOKEN_MISSING'),
    foreignOrigin: is('403 ORIGIN_DENIED'),
    // Upload routes check the prefix of the token, and other uploads are not found.
    uploadToken: takesTokens ? expect.not.stringMatching(/^401/) : is('403 BLOB_UPLOAD_TOKEN_CONSTRAINT'),
    withoutScope: is(isScoped ? `403 API_KEY_SCOPE_DENIED ${scope}` : '403 API_KEY_SCOPE_DENIED'),
    withScope: is(isScoped ? ALLOWED : '403 API_KEY_SCOPE_DENIED'),
  });
  const { id: renewed } = route.isInWorkspace ? await createWorkspace(service, clients.owner) : workspace;
  expect(await client.session(clients.owner, { id: renewed })).toBe(ALLOWED);
}

/** The result for a member with one permission, or with none. */
function memberResult(requirement: Requirement, held: Permission | 'none'): string {
  if (requirement === 'member') return ALLOWED;
  if (requirement === 'owner') return '403 WORKSPACE_OWNER_ONLY';
  const accepted: readonly string[] = typeof requirement === 'string' ? [requirement] : requirement;
  return accepted.includes(held) ? ALLOWED : `403 WORKSPACE_PERMISSION_DENIED ${accepted[0]}`;
}

async function testMembers(client: RouteClient, requirement: Requirement, query: string): Promise<void> {
  const { route } = client;
  const hidden = route.method === 'head' ? ALLOWED : '404 WORKSPACE_NOT_FOUND';
  const results = new Map<string, string>();
  for (const [held, member] of clients.members) results.set(held, await client.session(member, { query }));
  const wanted = [...clients.members.keys()].map((held) => [held, expected(route, memberResult(requirement, held))] as const);
  expect(results).toEqual(new Map<string, string>(wanted));
  expect([await client.session(clients.stranger, { query }), await client.session(clients.expired, { query })]).toEqual([
    hidden,
    hidden,
  ]);
}

const MEMBER_PERMISSION: Partial<Record<string, Permission>> = { 'blob:read': 'blob:read', 'blob:write': 'blob:manage' };

const resourceOf = (route: string): string => route.split('/')[2] ?? route;

const ROWS = rowsForBackend(
  ACCESS.map(([name, access, requirement, json]) => ({ name, access, requirement, json })),
  ({ name, access, requirement }) => `${resourceOf(name)}: ${access}, ${requirement}`,
);

describe('the access matrix', () => {
  it('has one row for each route of /openapi.json', () => {
    const served = Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
    expect(ACCESS.map(([route]) => route).sort()).toEqual(served.sort());
  });

  it.each(ROWS)(
    'holds for $name, which requires $access',
    async ({ name, access, requirement, json }) => {
      const [method, path] = name.split(' ') as [string, string];
      const route = { method, path, isInWorkspace: requirement !== undefined, json };
      const client = new RouteClient(route);
      if (access === 'everyone' || access === 'own origin') {
        // Sessions, keys and tokens are ignored.
        const results = [
          await client.credential(null),
          await client.credential(clients.revokedKey),
          await client.session(clients.disabled, { headers: { Origin: 'https://evil.example' } }),
        ];
        const foreign = access === 'everyone' ? ALLOWED : '403 ORIGIN_DENIED';
        return expect(results).toEqual([ALLOWED, ALLOWED, foreign]);
      }
      if (access === 'upload token') {
        const results = [
          await client.credential(null),
          await client.credential(clients.uploadToken),
          await client.key(SCOPES),
          await client.session(clients.owner),
        ];
        const other = '401 BLOB_UPLOAD_TOKEN_INVALID';
        return expect(results).toEqual(['401 AUTH_TOKEN_MISSING', ALLOWED, other, other]);
      }
      await testCredentials(client, access);
      const blobPermission = MEMBER_PERMISSION[access.split(' + ')[0]!];
      if (requirement !== undefined) await testMembers(client, requirement, '');
      else if (blobPermission !== undefined) await testMembers(client, blobPermission, workspace.query);
      return undefined;
    },
    240_000,
  );
});
