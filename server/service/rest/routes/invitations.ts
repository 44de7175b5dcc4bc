import { Type } from '@fastify/type-provider-typebox';
import { creatorOf } from '../../identity/creator-of-actor.js';
import { MAX_EMAIL } from '../../identity/users/user-fields.js';
import type { App, RouteContext } from '../context.js';
import { response } from '../openapi/schemas.js';
import { Invitation, LanguageField } from '../openapi/user-schemas.js';

/** Invitations of users by administrators. */
export function invitationRoutes(app: App, context: RouteContext): void {
  app.post(
    '/v1/users/invitations',
    {
      config: { access: { session: 'only' } },
      schema: {
        summary: 'Invite a user',
        description: 'Only administrators may. A new invitation replaces an earlier one for the same address.',
        tags: ['users'],
        body: Type.Object(
          {
            email: Type.String({ minLength: 3, maxLength: MAX_EMAIL }),
            language: Type.Optional(LanguageField),
          },
          { additionalProperties: false },
        ),
        response: { 201: response(Invitation) },
      },
    },
    async (request, reply) => {
      const { email, language } = request.body;
      const { secret, ...invitation } = await context.invitations.create(creatorOf(request.actor), {
        email,
        ...(language && { language }),
      });
      // The secret is in the fragment, which browsers send to no server and in no Referer.
      const url = `${context.baseUrl(request)}/invitation#${secret}`;
      return reply
        .code(201)
        .header('Cache-Control', 'no-store')
        .send({ response: { ...invitation, url } });
    },
  );
}
