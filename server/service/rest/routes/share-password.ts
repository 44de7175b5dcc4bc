import type { FastifyReply, FastifyRequest } from 'fastify';
import { BlobError } from '../../../../src/protocol/errors.js';
import type { App, RouteContext } from '../context.js';
import { addFormParser, fieldOf } from '../form-body.js';
import { safeNextPath } from '../next-path.js';
import { shareErrorPage, sharePasswordPage } from '../pages/share/notice-pages.js';
import { languageOf } from '../pages/texts.js';
import { assertFormOrigin } from '../session-cookie.js';
import { SHARE_COOKIE } from './share-visitor.js';

const MAX_PASSWORD = 200;

/** Defines `POST /s/{share}`: the password form of a share. Register it in a scope of its own. */
export function sharePasswordRoute(app: App, context: RouteContext): void {
  addFormParser(app);
  app.post('/s/:id', { config: { access: 'everyone' } }, async (request, reply) => {
    const language = languageOf(request);
    reply.header('X-Robots-Tag', 'noindex');
    try {
      return await unlock(context, request, reply);
    } catch (error) {
      if (!(error instanceof BlobError) || error.status >= 500) throw error;
      return shareErrorPage(reply, language, error);
    }
  });
}

async function unlock(context: RouteContext, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  assertFormOrigin({ baseUrl: context.contentUrl }, request);
  const { id } = request.params as { id: string };
  const password = fieldOf(request.body, 'password');
  const sent = fieldOf(request.body, 'next');
  const unlocked = password.length <= MAX_PASSWORD && (await context.shares.unlock(id, { address: request.ip, password }));
  if (!unlocked) return sharePasswordPage(reply, languageOf(request), { id, next: sent, hasFailed: true });
  const path = `/s/${unlocked.share.id}`;
  const secure = context.contentUrl(request).startsWith('https:');
  if (unlocked.pass !== null)
    void reply.setCookie(SHARE_COOKIE, unlocked.pass, { path, httpOnly: true, sameSite: 'lax', secure });
  // Only pages of this share, so that the form leads nowhere else.
  const next = safeNextPath(sent);
  return reply.header('Cache-Control', 'no-store').redirect(next?.startsWith(`${path}/`) ? next : path, 303);
}
