import type { FastifyRequest } from 'fastify';
import type { SignInClient } from '../identity/users/sessions.js';
import type { RouteContext } from './context.js';
import { sessionCookieName } from './session-cookie.js';

/** Describes the browser or program that signs in, for the list of sessions. */
export const clientOf = (context: Pick<RouteContext, 'baseUrl'>, request: FastifyRequest): SignInClient => ({
  ip: request.ip,
  userAgent: request.headers['user-agent'] ?? '',
  replacedCookie: request.cookies[sessionCookieName(context.baseUrl(request))],
});
