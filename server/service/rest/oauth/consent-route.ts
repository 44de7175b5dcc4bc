import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import type { Metrics } from '../../http/metrics.js';
import type { ConsentResult, Decision } from '../../identity/oauth/consents.js';
import { OauthError } from '../../identity/oauth/oauth-error.js';
import { withParameters } from '../../identity/oauth/redirect-uris.js';
import type { App, RouteContext } from '../context.js';
import { SCOPE_FIELD } from '../pages/oauth/consent-page.js';
import { sessionOfPage } from '../page-session.js';
import { assertFormOrigin } from '../session-cookie.js';
import { showConsent } from './show-consent.js';

/** Defines `POST /oauth/consent`: the form of the consent page. */
export function consentRoute(app: App, context: RouteContext, metrics: Metrics): void {
  app.post(
    '/oauth/consent',
    {
      config: {
        access: 'everyone',
        isPage: true,
        bodyType: 'form',
        responses: { 303: { description: 'The result, sent to the client.', headers: ['Location'] } },
      },
      schema: {
        summary: 'Allow or deny a client (the form of the consent page)',
        tags: ['oauth'],
        body: Type.Object(
          {
            consent: Type.String({ maxLength: 100 }),
            decision: Type.Union([Type.Literal('allow'), Type.Literal('deny')]),
            replaces: Type.Optional(Type.String({ maxLength: 64, description: 'The id of the key to replace.' })),
          },
          { description: `A field ${SCOPE_FIELD}SCOPE grants a scope.` },
        ),
      },
    },
    async (request, reply) => {
      assertFormOrigin(context, request);
      await context.oauth.limits.count('authorize', request.ip);
      const session = await sessionOfPage(context, request);
      if (!session)
        throw new OauthError('access_denied', 'Your session has ended. Start again in the application.', {
          reason: 'signed-out',
        });
      const { consent, decision, replaces } = request.body;
      const chosen: Decision =
        decision === 'allow' ? { allow: true, scopes: chosenScopes(request.body), replacesKeyId: replaces } : { allow: false };
      const result = await context.oauth.consents.decide(consent, session, chosen);
      if (result.kind === 'unknown')
        throw new OauthError('invalid_request', 'This page has expired or was already used. Start again in the application.', {
          reason: 'expired',
        });
      if (result.kind === 'incomplete')
        return showConsent(context, reply.code(400), session, {
          request: result.request,
          former: { scopes: chosenScopes(request.body), missing: result.missing },
          secret: consent,
        });
      metrics.consentDecided(result.kind);
      return redirectResult(reply, result, context.issuer());
    },
  );
}

const chosenScopes = (body: object): string[] =>
  Object.keys(body).flatMap((field) => (field.startsWith(SCOPE_FIELD) ? [field.slice(SCOPE_FIELD.length)] : []));

function redirectResult(
  reply: FastifyReply,
  result: Extract<ConsentResult, { kind: 'allowed' | 'denied' }>,
  issuer: string,
): FastifyReply {
  const { redirectUri, state } = result.request;
  const parameters =
    result.kind === 'allowed' ? { code: result.code } : new OauthError('access_denied', 'The user denied the request.').toBody();
  const location = withParameters(redirectUri, { ...parameters, state: state ?? undefined, iss: issuer });
  return reply.header('Cache-Control', 'no-store').header('Referrer-Policy', 'no-referrer').redirect(location, 303);
}
