import type { FastifyReply, FastifyRequest } from 'fastify';
import { LIMIT_HEADERS } from './limit-headers.js';

// Credentials are sent in a header, never in cookies. A page cannot use the credentials of another one, so all origins are allowed.
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const ALLOWED_HEADERS = [
  'Authorization',
  'Content-Type',
  'Content-Disposition',
  'Idempotency-Key',
  'Repr-Digest',
  'Content-Digest',
  'If-Match',
  'If-None-Match',
  'If-Modified-Since',
  'If-Unmodified-Since',
  'If-Range',
  'Range',
  'Tus-Resumable',
  'Upload-Length',
  'Upload-Defer-Length',
  'Upload-Offset',
  'Upload-Metadata',
  'Upload-Checksum',
  'Upload-Concat',
  'X-HTTP-Method-Override',
  'X-Requested-With',
  'X-Request-Id',
  'MCP-Protocol-Version',
].join(', ');
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'Location',
  'Retry-After',
  'ETag',
  'Repr-Digest',
  'Content-Disposition',
  'Content-Range',
  'Accept-Ranges',
  ...LIMIT_HEADERS,
  'Tus-Resumable',
  'Tus-Version',
  'Tus-Extension',
  'Tus-Max-Size',
  'Tus-Checksum-Algorithm',
  'Upload-Offset',
  'Upload-Length',
  'Upload-Expires',
  'Upload-Metadata',
].join(', ');
/** One day. Browsers reduce it to their own limit (Chromium: two hours). */
const PREFLIGHT_SECONDS = 86_400;

export const isPreflight = (request: FastifyRequest): boolean =>
  request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;

/** Lets pages of every origin read a response. */
export function addCorsHeaders(reply: FastifyReply): void {
  reply.header('Access-Control-Allow-Origin', '*').header('Access-Control-Expose-Headers', EXPOSED_HEADERS);
}

/** Responds to a preflight. The response is the same for every URL, so that browsers can cache it. */
export function sendPreflight(reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .header('Access-Control-Allow-Methods', METHODS)
    .header('Access-Control-Allow-Headers', ALLOWED_HEADERS)
    .header('Access-Control-Max-Age', String(PREFLIGHT_SECONDS))
    .send();
}
