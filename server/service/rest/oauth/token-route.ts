import { Type } from '@fastify/type-provider-typebox';
import { OauthError } from '../../identity/oauth/oauth-error.js';
import { assertResource } from '../../identity/oauth/resource.js';
import type { App, RouteContext } from '../context.js';

const TokenRequest = Type.Object(
  {
    grant_type: Type.Optional(Type.String({ description: 'authorization_code' })),
    code: Type.Optional(Type.String()),
    redirect_uri: Type.Optional(Type.String()),
    client_id: Type.Optional(Type.String()),
    code_verifier: Type.Optional(Type.String()),
    resource: Type.Optional(Type.String({ description: 'The origin of this service.' })),
  },
  {
    examples: [
      {
        grant_type: 'authorization_code',
        code: 'code-of-the-redirect',
        redirect_uri: 'https://example.org/callback',
        client_id: 'CLIENT_ID',
        code_verifier: 'CODE_VERIFIER',
      },
    ],
  },
);

/** Defines `POST /oauth/token`: exchanges a code for an API key. https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3 */
export function tokenRoute(app: App, context: RouteContext): void {
  app.post(
    '/oauth/token',
    {
      config: { access: 'everyone', bodyType: 'form' },
      schema: {
        summary: 'Exchange a code for an API key',
        tags: ['oauth'],
        body: TokenRequest,
        response: {
          200: Type.Object({
            access_token: Type.String({ description: 'An API key. It does not expire.' }),
            token_type: Type.Literal('Bearer'),
            scope: Type.String({ description: 'The granted scopes, separated by spaces.' }),
          }),
        },
      },
    },
    async (request, reply) => {
      reply.header('Cache-Control', 'no-store').header('Pragma', 'no-cache');
      await context.oauth.limits.count('token', request.ip);
      const { resource } = request.body;
      const required = (field: 'grant_type' | 'client_id' | 'code' | 'redirect_uri' | 'code_verifier'): string => {
        const value = request.body[field];
        if (!value) throw new OauthError('invalid_request', `The parameter ${field} is missing.`);
        return value;
      };
      if (required('grant_type') !== 'authorization_code')
        throw new OauthError('unsupported_grant_type', 'The grant_type must be authorization_code.');
      const clientId = required('client_id');
      if (!context.oauth.clients.find(clientId))
        throw new OauthError('invalid_client', 'The client_id is unknown. The application must register again.');
      if (resource) assertResource(resource, new URL(context.issuer()).origin);
      const key = await context.oauth.codes.exchange({
        clientId,
        code: required('code'),
        redirectUri: required('redirect_uri'),
        verifier: required('code_verifier'),
      });
      // Without `expires_in` and `refresh_token`, clients keep the key until it is revoked.
      return { access_token: key.secret, token_type: 'Bearer' as const, scope: key.scopes.join(' ') };
    },
  );
}
