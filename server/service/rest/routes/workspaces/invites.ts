import { Type } from '@fastify/type-provider-typebox';
import { callerOf } from '../../../identity/workspaces/caller.js';
import { INVITE } from '../../../identity/workspaces/invites.js';
import { requirePermission } from '../../../identity/workspaces/workspace-change.js';
import type { App, RouteContext } from '../../context.js';
import { invitePagePath } from '../workspace-invite-page.js';
import { nullable, response, Time } from '../../openapi/schemas.js';
import { body, documentation, InviteParams, WorkspaceParams } from './schemas.js';

const invites = { access: { scope: 'workspaces:invites' } } as const;

const inviteFields = {
  id: Type.String(),
  email: nullable(Type.String({ description: 'The only address that may accept it; null: everybody with the link.' })),
  role_id: Type.String(),
  max_uses: Type.Integer(),
  uses: Type.Integer(),
  created_by: Type.String(),
  expires_at: Time,
  created_at: Time,
};
const Invite = Type.Object(inviteFields, { $id: 'WorkspaceInvite' });
const CreatedInvite = Type.Object(
  {
    ...inviteFields,
    token: Type.String({ description: 'The secret of the link. Cannot be read again.' }),
    url: Type.String({ description: 'The link: a page on which the invited person signs in, and accepts or declines.' }),
  },
  { $id: 'CreatedWorkspaceInvite' },
);
const { expiresInDays, maxUses } = INVITE;
const NewInvite = body({
  email: Type.Optional(
    Type.String({ minLength: 3, maxLength: 254, pattern: '^[^\\s@]+@[^\\s@]+$', description: 'Only this user may accept it.' }),
  ),
  role_id: Type.String({ minLength: 1, maxLength: 64 }),
  expires_in_days: Type.Optional(
    Type.Integer({ minimum: expiresInDays.min, maximum: expiresInDays.max, default: expiresInDays.default }),
  ),
  max_uses: Type.Optional(Type.Integer({ minimum: maxUses.min, maximum: maxUses.max, default: maxUses.default })),
});

/** Invites of a workspace. `invite-links.ts` has the routes of invited users. */
export function workspaceInviteRoutes(app: App, context: RouteContext): void {
  createInviteRoute(app, context);
  listInvitesRoute(app, context);
  deleteInviteRoute(app, context);
}

function createInviteRoute(app: App, context: RouteContext): void {
  app.post(
    '/v1/workspaces/:id/invites',
    {
      config: { access: { session: 'only' } },
      schema: {
        ...documentation('Create an invite', 'Requires the permission members:manage, and every permission of the role.'),
        params: WorkspaceParams,
        body: NewInvite,
        response: { 201: response(CreatedInvite) },
      },
    },
    async (request, reply) => {
      const invite = await context.workspaceInvites.create(callerOf(request.actor), request.params.id, request.body);
      const url = `${context.baseUrl(request)}${invitePagePath(invite.token)}`;
      return reply
        .code(201)
        .header('Cache-Control', 'no-store')
        .send({ response: { ...invite, url } });
    },
  );
}

function listInvitesRoute(app: App, { memberships, workspaceInvites }: RouteContext): void {
  app.get(
    '/v1/workspaces/:id/invites',
    {
      config: invites,
      schema: {
        ...documentation('List the open invites of a workspace', 'Requires the permission members:manage.'),
        params: WorkspaceParams,
        response: { 200: response(Type.Object({ invites: Type.Array(Invite) })) },
      },
    },
    async ({ actor, params: { id } }) => {
      requirePermission(await memberships.require(id, callerOf(actor).userId), 'members:manage');
      return { response: { invites: await workspaceInvites.list(id) } };
    },
  );
}

function deleteInviteRoute(app: App, { workspaceInvites }: RouteContext): void {
  app.delete(
    '/v1/workspaces/:id/invites/:invite_id',
    {
      config: invites,
      schema: {
        ...documentation('Delete an invite', 'Requires the permission members:manage. The link ends at once.'),
        params: InviteParams,
        response: { 200: response(Type.Null()) },
      },
    },
    async ({ actor, params }) => {
      await workspaceInvites.delete(callerOf(actor), params.id, params.invite_id);
      return { response: null };
    },
  );
}
