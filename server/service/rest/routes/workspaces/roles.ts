import { Type } from '@fastify/type-provider-typebox';
import { callerOf } from '../../../identity/workspaces/caller.js';
import { requirePermission } from '../../../identity/workspaces/workspace-change.js';
import type { App, RouteContext } from '../../context.js';
import { response } from '../../openapi/schemas.js';
import { body, documentation, Name, Permissions, Role, RoleParams, WorkspaceParams, WRITE_ACCESS } from './schemas.js';

const MANAGE =
  'Requires the permission roles:manage, and every permission of the role. An API key needs blob:read to grant blob:read, and blob:write to grant blob:manage.';

/** Roles of a workspace. */
export function workspaceRoleRoutes(app: App, context: RouteContext): void {
  listRolesRoute(app, context);
  createRoleRoute(app, context);
  changeRoleRoute(app, context);
  deleteRoleRoute(app, context);
}

function listRolesRoute(app: App, { memberships, workspaceRoles }: RouteContext): void {
  app.get(
    '/v1/workspaces/:id/roles',
    {
      config: { access: { scope: 'workspaces:read' } },
      schema: {
        ...documentation('List the roles of a workspace', 'Requires the permission members:read or roles:manage.'),
        params: WorkspaceParams,
        response: { 200: response(Type.Object({ roles: Type.Array(Role) })) },
      },
    },
    async ({ actor, params: { id } }) => {
      const membership = await memberships.require(id, callerOf(actor).userId);
      if (!membership.permissions.includes('roles:manage')) requirePermission(membership, 'members:read');
      return { response: { roles: await workspaceRoles.list(id) } };
    },
  );
}

function createRoleRoute(app: App, { workspaceRoles }: RouteContext): void {
  app.post(
    '/v1/workspaces/:id/roles',
    {
      config: WRITE_ACCESS,
      schema: {
        ...documentation('Create a role', MANAGE),
        params: WorkspaceParams,
        body: body({ name: Name, permissions: Permissions }),
        response: { 201: response(Role) },
      },
    },
    async ({ actor, params, body: fields }, reply) =>
      reply.code(201).send({ response: await workspaceRoles.create(callerOf(actor), params.id, fields) }),
  );
}

function changeRoleRoute(app: App, { workspaceRoles }: RouteContext): void {
  app.put(
    '/v1/workspaces/:id/roles/:role_id',
    {
      config: WRITE_ACCESS,
      schema: {
        ...documentation('Change a role', `${MANAGE} Omitted fields stay.`),
        params: RoleParams,
        body: Type.Partial(Type.Object({ name: Name, permissions: Permissions }), {
          additionalProperties: false,
          minProperties: 1,
        }),
        response: { 200: response(Role) },
      },
    },
    async ({ actor, params, body: fields }) => ({
      response: await workspaceRoles.change(callerOf(actor), params.id, params.role_id, fields),
    }),
  );
}

function deleteRoleRoute(app: App, { workspaceRoles }: RouteContext): void {
  app.delete(
    '/v1/workspaces/:id/roles/:role_id',
    {
      config: WRITE_ACCESS,
      schema: {
        ...documentation('Delete a role', `${MANAGE} A role of a member or of a valid invite cannot be deleted.`),
        params: RoleParams,
        response: { 200: response(Type.Null()) },
      },
    },
    async ({ actor, params }) => {
      await workspaceRoles.delete(callerOf(actor), params.id, params.role_id);
      return { response: null };
    },
  );
}
