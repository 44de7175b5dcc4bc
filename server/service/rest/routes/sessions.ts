import { Type } from '@fastify/type-provider-typebox';
import { PASSWORD_LENGTH } from '../../identity/users/passwords.js';
import { MAX_EMAIL } from '../../identity/users/user-fields.js';
import type { App, RouteContext } from '../context.js';
import { response } from '../openapi/schemas.js';
import { User } from '../openapi/user-schemas.js';
import { connectionSignal } from '../request-body.js';
import { assertNoForeignOrigin, assertSecureTransport, clearSessionCookie, setSessionCookie } from '../session-cookie.js';
import { clientOf } from '../sign-in-client.js';
import { creatorOf } from '../../identity/creator-of-actor.js';

/** Defines the routes for sign-in and sign-out. */
export function sessionRoutes(app: App, context: RouteContext): void {
  app.post(
    '/v1/sessions',
    {
      config: { access: 'everyone' },
      schema: {
        summary: 'Sign in',
        description: 'Sets the session cookie. Requires https, except on this machine.',
        tags: ['sessions'],
        body: Type.Object(
          {
            email: Type.String({ minLength: 1, maxLength: MAX_EMAIL }),
            password: Type.String({ minLength: 1, maxLength: PASSWORD_LENGTH.max }),
          },
          { additionalProperties: false },
        ),
        response: { 201: response(User) },
      },
    },
    async (request, reply) => {
      assertNoForeignOrigin(context, request);
      assertSecureTransport(context, request);
      const { user, cookie } = await context.signIns.signIn(request.body, clientOf(context, request), connectionSignal(reply));
      setSessionCookie(context, request, reply, cookie);
      return reply.code(201).send({ response: user });
    },
  );

  app.delete(
    '/v1/sessions/current',
    {
      config: { access: { session: 'only' } },
      schema: { summary: 'Sign out', tags: ['sessions'], response: { 200: response(Type.Null()) } },
    },
    async (request, reply) => {
      const { userId, id } = request.actor.session!;
      await context.signIns.signOut(creatorOf(request.actor), userId, id);
      clearSessionCookie(context, request, reply);
      return { response: null };
    },
  );
}
