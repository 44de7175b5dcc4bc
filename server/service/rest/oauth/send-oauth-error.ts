import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { asBlobError } from '../../http/errors.js';
import { OauthError } from '../../identity/oauth/oauth-error.js';
import type { OauthErrorCode } from '../../identity/oauth/oauth-error.js';
import { isPageRequest } from '../pages/error-page.js';
import { oauthErrorPage } from '../pages/oauth/error-page.js';

/** Returns whether a request belongs to the authorization server, whose errors have the form of OAuth, also if no route matches. */
export const isOauthRequest = ({ url, routeOptions }: FastifyRequest): boolean =>
  /^\/oauth(?:[/?]|$)/.test(url) || routeOptions?.url?.startsWith('/oauth/') === true;

/** Codes for the errors of the other layers, by their HTTP status. Other statuses are `invalid_request`. */
const CODES: Record<number, OauthErrorCode> = {
  403: 'access_denied',
  404: 'not_found',
  429: 'too_many_requests',
  500: 'server_error',
  503: 'temporarily_unavailable',
};

/** Converts any error to one of OAuth. Unexpected errors become `server_error`, whose description reveals nothing. */
export function asOauthError(error: unknown): OauthError {
  if (error instanceof OauthError) return error;
  const { code } = error as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new OauthError('invalid_request', 'The content type is not one that this endpoint accepts.', { status: 415 });
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new OauthError('invalid_request', 'The body is too large.', { status: 413 });
  const { status, message, details } = asBlobError(error);
  const retryAfter = details['retry_after'];
  return new OauthError(CODES[status] ?? (status > 500 ? 'server_error' : 'invalid_request'), message, {
    status,
    ...(typeof retryAfter === 'number' && { retryAfter: Math.ceil(retryAfter) }),
  });
}

/** Sends an error as JSON, or as a page if a browser opened a page of the authorization server. */
export function sendOauthError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const oauthError = asOauthError(error);
  if (oauthError.status >= 500) request.log.error({ err: error }, 'request failed');
  else request.log.info({ code: oauthError.code }, 'request refused');
  reply.code(oauthError.status).header('Cache-Control', 'no-store');
  if (oauthError.retryAfter !== undefined) reply.header('Retry-After', String(oauthError.retryAfter));
  if (isPageRequest(request)) void oauthErrorPage(request, reply, oauthError);
  else void reply.type('application/json; charset=utf-8').send(JSON.stringify(oauthError.toBody()));
}
