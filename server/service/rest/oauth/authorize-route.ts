import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { findTarget, parseAuthorizationRequest, stateOf } from '../../identity/oauth/authorization-request.js';
import type { AuthorizationRequest, Parameters, RequestTarget } from '../../identity/oauth/authorization-request.js';
import { OauthError } from '../../identity/oauth/oauth-error.js';
import { redirectTarget, withParameters } from '../../identity/oauth/redirect-uris.js';
import type { App, RouteContext } from '../context.js';
import { oauthErrorPage } from '../pages/oauth/error-page.js';
import { showConsent } from './show-consent.js';
import { sessionOfPage } from '../page-session.js';

/** Defines `GET /oauth/authorize`: asks the signed-in user for consent. https://www.rfc-editor.org/rfc/rfc6749#section-4.1.1 */
export function authorizeRoute(app: App, context: RouteContext): void {
  app.get(
    '/oauth/authorize',
    {
      // A HEAD request would open a consent page.
      exposeHeadRoute: false,
      // Errors in the parameters are shown or redirected, see the handler.
      attachValidation: true,
      config: {
        access: 'everyone',
        isPage: true,
        responses: {
          200: { description: 'The consent page.', contentType: 'text/html' },
          302: {
            description: 'The page for signing in, or an error for an application on the computer of the user.',
            headers: ['Location'],
          },
          400: {
            description: 'A page about an error, never a redirect. It links to a site only if the site registered the address.',
            contentType: 'text/html',
          },
        },
      },
      schema: {
        summary: 'Ask the user for consent',
        tags: ['oauth'],
        querystring: Type.Object({
          response_type: Type.Literal('code'),
          client_id: Type.String(),
          redirect_uri: Type.String(),
          code_challenge: Type.String({ description: 'SHA-256 of the code_verifier in base64url.' }),
          code_challenge_method: Type.Literal('S256'),
          scope: Type.Optional(Type.String({ description: 'Separated by spaces. Without it: the scopes for reading.' })),
          state: Type.Optional(Type.String()),
          resource: Type.Optional(Type.String({ description: 'The origin of this service.' })),
        }),
      },
    },
    async (request, reply) => {
      await context.oauth.limits.count('authorize', request.ip);
      const issuer = context.issuer();
      const parameters = request.query as Parameters;
      let target: RequestTarget;
      try {
        target = findTarget(context.oauth.clients, parameters);
      } catch (error) {
        if (error instanceof OauthError) return oauthErrorPage(request, reply.code(400), error);
        throw error;
      }
      const session = await sessionOfPage(context, request);
      if (!session) return reply.header('Cache-Control', 'no-store').redirect(signInPath(request), 302);
      let authorization: AuthorizationRequest;
      try {
        authorization = parseAuthorizationRequest(target, parameters, new URL(issuer).origin);
      } catch (error) {
        if (!(error instanceof OauthError)) throw error;
        const location = withParameters(target.redirectUri, { ...error.toBody(), state: stateOf(parameters), iss: issuer });
        return sendErrorToClient(request, reply, target, error, location);
      }
      const secret = await context.oauth.consents.open(session, authorization);
      return showConsent(context, reply, session, { request: authorization, secret });
    },
  );
}

/**
 * Sends an error to the client. Any site may register as a client, so a redirect would let links to this service lead to any site. A page
 * names the site, and the user decides: https://www.rfc-editor.org/rfc/rfc9700#section-4.11.2
 * @param location the redirect URI with the error. It contains `iss` like a success: https://www.rfc-editor.org/rfc/rfc9207#section-2
 */
function sendErrorToClient(
  request: FastifyRequest,
  reply: FastifyReply,
  { redirectUri }: RequestTarget,
  error: OauthError,
  location: string,
): FastifyReply {
  const { kind, name } = redirectTarget(redirectUri);
  if (kind === 'site') return oauthErrorPage(request, reply.code(400), error, { location, host: name });
  return reply.header('Cache-Control', 'no-store').header('Referrer-Policy', 'no-referrer').redirect(location, 302);
}

/** The page for signing in, which returns to this request. */
const signInPath = ({ url }: FastifyRequest): string => `/sign-in?next=${encodeURIComponent(url)}`;
