import type { FastifyReply } from 'fastify';
import type { AuthorizationRequest } from '../../identity/oauth/authorization-request.js';
import { redirectTarget } from '../../identity/oauth/redirect-uris.js';
import type { Session } from '../../identity/users/sessions.js';
import type { RouteContext } from '../context.js';
import { consentPage } from '../pages/oauth/consent-page.js';
import type { FormerDecision } from '../pages/oauth/consent-page.js';

/** Sends the consent page of a request to its user. @param consent.former a decision that lacked a choice */
export async function showConsent(
  context: RouteContext,
  reply: FastifyReply,
  session: Session,
  consent: { request: AuthorizationRequest; secret: string; former?: FormerDecision },
): Promise<FastifyReply> {
  const { request, secret, former } = consent;
  const { language, email } = await context.users.get(session.userId);
  return consentPage(reply, {
    language,
    email,
    secret,
    former,
    clientName: request.clientName,
    target: redirectTarget(request.redirectUri),
    scopes: request.scopes,
    replaceableKeys: await context.oauth.consents.replaceableKeys(session),
  });
}
