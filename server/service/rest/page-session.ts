import type { FastifyRequest } from 'fastify';
import { BlobError } from '../../../src/protocol/errors.js';
import type { Session } from '../identity/users/sessions.js';
import type { RouteContext } from './context.js';
import { sessionCookieName } from './session-cookie.js';

/**
 * Finds the session of a browser that opens or submits a page. Unlike the API, a page may be opened from other sites.
 * @returns undefined if no user is signed in.
 */
export async function sessionOfPage(context: RouteContext, request: FastifyRequest): Promise<Session | undefined> {
  const cookie = request.cookies[sessionCookieName(context.baseUrl(request))];
  if (cookie === undefined) return undefined;
  return context.sessions.authenticate(cookie).catch((error: unknown) => {
    if (error instanceof BlobError && error.code === 'AUTH_TOKEN_MISSING') return undefined;
    throw error;
  });
}
