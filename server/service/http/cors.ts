import type { FastifyReply, FastifyRequest } from 'fastify';
import { LIMIT_HEADERS } from './limit-headers.js';

// Credentials travel in a header that scripts set, never in cookies: any origin may ask, and gets what its credential opens.
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const ALLOWED = [
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
].join(', ');
const EXPOSED = [
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
/** A day; browsers cut it to their own limit (Chromium: two hours). */
const PREFLIGHT_SECONDS = 86_400;

export const isPreflight = (request: FastifyRequest): boolean =>
  request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;

export function addCorsHeaders(reply: FastifyReply): void {
  reply.header('Access-Control-Allow-Origin', '*').header('Access-Control-Expose-Headers', EXPOSED);
}

/** Answers what a browser asks before it asks: the same for every address, so that it may be kept. */
export function sendPreflight(reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .header('Access-Control-Allow-Methods', METHODS)
    .header('Access-Control-Allow-Headers', ALLOWED)
    .header('Access-Control-Max-Age', String(PREFLIGHT_SECONDS))
    .send();
}
