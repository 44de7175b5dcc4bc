import { Type } from '@fastify/type-provider-typebox';
import { callerOf } from '../../../identity/workspaces/caller.js';
import { requirePermission } from '../../../identity/workspaces/workspace-change.js';
import type { App, RouteContext } from '../../context.js';
import { nullable, response } from '../../openapi/schemas.js';
import { body, documentation, Member, MemberParams, WorkspaceParams, WRITE_ACCESS } from './schemas.js';

/** Members of a workspace. Invites add them. */
export function workspaceMemberRoutes(app: App, context: RouteContext): void {
  listMembersRoute(app, context);
  changeMemberRoute(app, context);
  removeMemberRoute(app, context);
}

function listMembersRoute(app: App, { memberships, workspaceMembers }: RouteContext): void {
  app.get(
    '/v1/workspaces/:id/members',
    {
      config: { access: { scope: 'workspaces:read' } },
      schema: {
        ...documentation('List the members of a workspace', 'Requires the permission members:read.'),
        params: WorkspaceParams,
        response: { 200: response(Type.Object({ members: Type.Array(Member) })) },
      },
    },
    async ({ actor, params: { id } }) => {
      requirePermission(await memberships.require(id, callerOf(actor).userId), 'members:read');
      return { response: { members: await workspaceMembers.list(id) } };
    },
  );
}

function changeMemberRoute(app: App, { workspaceMembers }: RouteContext): void {
  app.put(
    '/v1/workspaces/:id/members/:user_id',
    {
      config: WRITE_ACCESS,
      schema: {
        ...documentation(
          'Change the role of a member',
          'Requires the permission members:manage, and every permission of the old and the new role.',
        ),
        params: MemberParams,
        body: body({
          role_id: Type.String({ minLength: 1, maxLength: 64 }),
          expires_at: Type.Optional(
            nullable(Type.String({ description: 'ISO 8601, in the future; null: it never expires. Omitted: the expiry stays.' })),
          ),
        }),
        response: { 200: response(Member) },
      },
    },
    async ({ actor, params, body: fields }) => ({
      response: await workspaceMembers.change(callerOf(actor), params.id, params.user_id, fields),
    }),
  );
}

function removeMemberRoute(app: App, { workspaceMembers }: RouteContext): void {
  app.delete(
    '/v1/workspaces/:id/members/:user_id',
    {
      config: WRITE_ACCESS,
      schema: {
        ...documentation(
          'Remove a member, or leave a workspace',
          "Requires the permission members:manage and every permission of the member's role. Members may always leave.",
        ),
        params: MemberParams,
        response: { 200: response(Type.Null()) },
      },
    },
    async ({ actor, params }) => {
      await workspaceMembers.remove(callerOf(actor), params.id, params.user_id);
      return { response: null };
    },
  );
}
