import type { FastifyReply } from 'fastify';
import type { AuthorizationRequest } from '../../identity/oauth/authorization-request.js';
import { redirectTarget } from '../../identity/oauth/redirect-uris.js';
import type { Session } from '../../identity/users/sessions.js';
import type { RouteContext } from '../context.js';
import { consentPage } from '../pages/oauth/consent-page.js';

/** Sends the consent page of a request to its user. @param consent.missing the choice that a former decision lacked. */
export async function showConsent(
  context: RouteContext,
  reply: FastifyReply,
  session: Session,
  consent: { request: AuthorizationRequest; secret: string; missing?: 'scopes' | 'replacement' },
): Promise<FastifyReply> {
  const { request, secret, missing } = consent;
  const { language, email } = await context.users.get(session.userId);
  return consentPage(reply, {
    language,
    email,
    secret,
    missing,
    clientName: request.clientName,
    target: redirectTarget(request.redirectUri),
    scopes: request.scopes,
    replaceableKeys: await context.oauth.consents.replaceableKeys(session),
  });
}
