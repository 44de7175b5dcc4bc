import { Type } from '@fastify/type-provider-typebox';
import { BlobError } from '../../../../src/protocol/errors.js';
import { authorizationServerMetadata, protectedResourceMetadata } from '../../identity/oauth/metadata.js';
import type { App, RouteContext } from '../context.js';

const List = Type.Array(Type.String());

/** Documents by which clients find the endpoints. Clients ask before each sign-in, so caches keep them only for minutes. */
export function metadataRoutes(app: App, context: RouteContext): void {
  app.get(
    '/.well-known/oauth-authorization-server',
    {
      config: { access: 'everyone' },
      schema: {
        summary: 'Describe the authorization server',
        tags: ['oauth'],
        response: {
          200: Type.Object({
            issuer: Type.String(),
            authorization_endpoint: Type.String(),
            token_endpoint: Type.String(),
            registration_endpoint: Type.String(),
            scopes_supported: List,
            response_types_supported: List,
            response_modes_supported: List,
            grant_types_supported: List,
            token_endpoint_auth_methods_supported: List,
            code_challenge_methods_supported: List,
            authorization_response_iss_parameter_supported: Type.Boolean(),
          }),
        },
      },
    },
    async (_request, reply) => {
      reply.header('Cache-Control', 'public, max-age=300');
      return authorizationServerMetadata(context.issuer());
    },
  );

  const resource = {
    config: { access: 'everyone' as const },
    schema: {
      summary: 'Name the authorization server of this API',
      tags: ['oauth'],
      response: {
        200: Type.Object({
          resource: Type.String(),
          authorization_servers: List,
          scopes_supported: List,
          bearer_methods_supported: List,
          resource_name: Type.String(),
        }),
      },
    },
  };
  // Clients of a URL with a path append the path: https://www.rfc-editor.org/rfc/rfc9728#section-3.1
  for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/*'])
    app.get(path, resource, async (_request, reply) => {
      reply.header('Cache-Control', 'public, max-age=300');
      return protectedResourceMetadata(context.issuer());
    });

  // Some clients try OpenID Connect first. Nothing may stand here, not even a page for every unknown path.
  app.get('/.well-known/openid-configuration', { config: { access: 'everyone' } }, async () => {
    throw new BlobError('NOT_FOUND', 'OpenID Connect is not supported. See /.well-known/oauth-authorization-server.');
  });
}
