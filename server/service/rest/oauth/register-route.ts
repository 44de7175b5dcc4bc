import { Type } from '@fastify/type-provider-typebox';
import { OauthError } from '../../identity/oauth/oauth-error.js';
import type { App, RouteContext } from '../context.js';

/** Most bytes of a registration. */
const BODY_LIMIT = 64 * 1024;

// Unlike other bodies, unknown fields are ignored, as the specification demands.
const ClientMetadata = Type.Object({
  redirect_uris: Type.Array(Type.String(), { description: 'At most 10, with 2048 characters together.' }),
  client_name: Type.Optional(Type.String()),
  grant_types: Type.Optional(Type.Array(Type.String())),
  response_types: Type.Optional(Type.Array(Type.String())),
});

const RegisteredClient = Type.Object({
  client_id: Type.String(),
  client_id_issued_at: Type.Integer({ description: 'Seconds since 1970.' }),
  client_name: Type.String({ description: 'The name that people see: one line of at most 40 characters, without markup.' }),
  redirect_uris: Type.Array(Type.String()),
  grant_types: Type.Array(Type.String()),
  response_types: Type.Array(Type.String()),
  token_endpoint_auth_method: Type.Literal('none'),
});

/** Defines `POST /oauth/register`: https://www.rfc-editor.org/rfc/rfc7591 */
export function registerRoute(app: App, context: RouteContext): void {
  app.post(
    '/oauth/register',
    {
      bodyLimit: BODY_LIMIT,
      // The error of the schema is reported with a code of the specification.
      attachValidation: true,
      config: { access: 'everyone' },
      schema: { summary: 'Register a client', tags: ['oauth'], body: ClientMetadata, response: { 201: RegisteredClient } },
    },
    async (request, reply) => {
      await context.oauth.limits.count('register', request.ip);
      if (request.validationError) throw new OauthError('invalid_client_metadata', request.validationError.message);
      const client = context.oauth.clients.register(request.body);
      return reply
        .code(201)
        .header('Cache-Control', 'no-store')
        .send({
          client_id: client.id,
          client_id_issued_at: client.issuedAt,
          client_name: client.name,
          redirect_uris: client.redirectUris,
          grant_types: ['authorization_code'],
          response_types: ['code'],
          token_endpoint_auth_method: 'none',
        });
    },
  );
}
