import { Type } from '@fastify/type-provider-typebox';
import { callerOf } from '../../../identity/workspaces/caller.js';
import type { App, RouteContext } from '../../context.js';
import { nullable, response, Time } from '../../openapi/schemas.js';
import { documentation, Permissions, Workspace } from './schemas.js';

const invites = { access: { scope: 'workspaces:invites' } } as const;
const params = Type.Object({ token: Type.String({ minLength: 1, maxLength: 128 }) });

const ReceivedInvite = Type.Object(
  {
    workspace: Type.Object({ id: Type.String(), name: Type.String() }),
    role: Type.Object({ id: Type.String(), name: Type.String(), permissions: Permissions }),
    invited_by: Type.String(),
    email: nullable(Type.String()),
    expires_at: Time,
  },
  { $id: 'ReceivedWorkspaceInvite' },
);

/** Invites as invited users see them. */
export function inviteLinkRoutes(app: App, context: RouteContext): void {
  readInviteRoute(app, context);
  acceptInviteRoute(app, context);
  declineInviteRoute(app, context);
}

function readInviteRoute(app: App, { inviteLinks }: RouteContext): void {
  app.get(
    '/v1/workspaces/invites/:token',
    {
      config: invites,
      schema: {
        ...documentation('Read an invite', 'An invite for an address can be read by its user only.'),
        params,
        response: { 200: response(ReceivedInvite) },
      },
    },
    async ({ actor, params }, reply) =>
      reply.header('Cache-Control', 'no-store').send({ response: await inviteLinks.get(callerOf(actor), params.token) }),
  );
}

function acceptInviteRoute(app: App, { inviteLinks, workspaces }: RouteContext): void {
  app.post(
    '/v1/workspaces/invites/:token/accept',
    {
      config: invites,
      schema: {
        ...documentation('Accept an invite', 'A member who accepts an invite keeps the own role, and the invite keeps its use.'),
        params,
        response: { 200: response(Workspace) },
      },
    },
    async ({ actor, params }) => {
      const caller = callerOf(actor);
      const id = await inviteLinks.accept(caller, params.token);
      return { response: await workspaces.get(caller.userId, id) };
    },
  );
}

function declineInviteRoute(app: App, { inviteLinks }: RouteContext): void {
  app.post(
    '/v1/workspaces/invites/:token/decline',
    {
      config: invites,
      schema: {
        ...documentation('Decline an invite', 'Deletes an invite for an address. One for everybody stays valid for others.'),
        params,
        response: { 200: response(Type.Null()) },
      },
    },
    async ({ actor, params }) => {
      await inviteLinks.decline(callerOf(actor), params.token);
      return { response: null };
    },
  );
}
