import { Type } from '@fastify/type-provider-typebox';
import { BlobError } from '../../../../src/protocol/errors.js';
import { formatTime } from '../../../../src/protocol/time.js';
import { creatorOf } from '../../identity/creator-of-actor.js';
import type { App, RouteContext } from '../context.js';
import { response } from '../openapi/schemas.js';
import { Session } from '../openapi/user-schemas.js';
import { clearSessionCookie } from '../session-cookie.js';
import { requireUser } from './users.js';

/** Defines the routes for the devices on which the user is signed in. */
export function userSessionRoutes(app: App, context: RouteContext): void {
  const { sessions, signIns } = context;
  app.get(
    '/v1/users/me/sessions',
    {
      config: { access: { scope: 'account:read' } },
      schema: { summary: 'List your sessions', tags: ['sessions'], response: { 200: response(Type.Array(Session)) } },
    },
    async (request) => {
      const list = await sessions.list(requireUser(request));
      return {
        response: list.map(({ id, ip, userAgent, createdAt, lastUsedAt }) => ({
          id,
          current: id === request.actor.session?.id,
          ip,
          user_agent: userAgent,
          created_at: formatTime(createdAt),
          last_used_at: formatTime(lastUsedAt),
        })),
      };
    },
  );

  app.delete(
    '/v1/users/me/sessions',
    {
      config: { access: { session: 'only' } },
      schema: { summary: 'End all your other sessions', tags: ['sessions'], response: { 200: response(Type.Null()) } },
    },
    async (request) => {
      const { userId, id } = request.actor.session!;
      await signIns.signOutElsewhere(creatorOf(request.actor), userId, id);
      return { response: null };
    },
  );

  app.delete(
    '/v1/users/me/sessions/:id',
    {
      config: { access: { session: 'only' } },
      schema: {
        summary: 'End one of your sessions',
        tags: ['sessions'],
        params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) }),
        response: { 200: response(Type.Null()) },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { session } = request.actor;
      if (!(await signIns.signOut(creatorOf(request.actor), session!.userId, id)))
        throw new BlobError('NOT_FOUND', `There is no session ${id}.`, { details: { id } });
      if (id === session!.id) clearSessionCookie(context, request, reply);
      return { response: null };
    },
  );
}
