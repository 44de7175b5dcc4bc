import type { Permission } from '../../server/service/identity/workspaces/permissions.js';
import type { RoleRecord } from '../../server/service/identity/workspaces/roles.js';
import type { WorkspaceRecord } from '../../server/service/identity/workspaces/workspaces.js';
import { signIn } from './session-client.js';
import type { SignedInUser } from './session-client.js';
import type { ServiceResponse, TestService } from './support.js';

/** A workspace with its owner, for tests. */
export interface TestWorkspace {
  id: string;
  owner: SignedInUser;
  /** `?workspace_id=…` */
  query: string;
  /** Creates a role. */
  role(permissions: readonly Permission[], name?: string): Promise<RoleRecord>;
  /** Finds a role by its name. */
  roleNamed(name: string): Promise<RoleRecord>;
  /** Signs in a user and makes the user a member with a new role. */
  member(permissions: readonly Permission[]): Promise<SignedInUser & { roleId: string }>;
  /** Makes a user a member by an invite. */
  join(client: SignedInUser, roleId: string): Promise<void>;
  /** Sends a request of the owner below the address of the workspace. */
  call<T = unknown>(method: string, path?: string, body?: object): Promise<ServiceResponse<T>>;
}

let roles = 0;

/** @throws Error unless the response has the status. */
export function expectStatus<T>(response: ServiceResponse<T>, status: number): T {
  if (response.status !== status) throw new Error(`${response.status} ${JSON.stringify(response.error)}`);
  return response.response;
}

export async function createWorkspace(service: TestService, owner?: SignedInUser): Promise<TestWorkspace> {
  const client = owner ?? (await signIn(service));
  const { id } = expectStatus(await client.call<WorkspaceRecord>('POST', '/v1/workspaces', { body: { name: 'Team' } }), 201);
  const path = `/v1/workspaces/${id}`;
  const workspace: TestWorkspace = {
    id,
    owner: client,
    query: `?workspace_id=${id}`,
    call: (method, rest = '', body) => client.call(method, path + rest, { ...(body && { body }) }),
    async role(permissions, name = `role ${++roles}`) {
      return expectStatus(await workspace.call<RoleRecord>('POST', '/roles', { name, permissions }), 201);
    },
    async roleNamed(name) {
      const { roles: all } = expectStatus(await workspace.call<{ roles: RoleRecord[] }>('GET', '/roles'), 200);
      return all.find((role) => role.name === name)!;
    },
    async member(permissions) {
      const user = await signIn(service);
      const { id: roleId } = await workspace.role(permissions);
      await workspace.join(user, roleId);
      return { ...user, roleId };
    },
    async join(user, roleId) {
      const { token } = expectStatus(await workspace.call<{ token: string }>('POST', '/invites', { role_id: roleId }), 201);
      expectStatus(await user.call('POST', `/v1/workspaces/invites/${token}/accept`), 200);
    },
  };
  return workspace;
}

/** The status and code of a response, and the details of an error. */
export const outcome = ({ status, error }: ServiceResponse): unknown[] => (status < 400 ? [status] : [status, error.code]);
