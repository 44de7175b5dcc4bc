import type { FastifyReply, FastifyRequest } from 'fastify';
import { finalStatus } from '../http/metrics.js';

/** Returns the log fields of a request. They contain no headers, no query (it may have the signature of a link), no id of a share and no token of an invite. */
export const requestLogFields = (request: FastifyRequest, reply: FastifyReply) => ({
  request: {
    method: request.method,
    url: hideLinkSecrets(request.url.replace(/\?.*$/s, '')),
    ip: request.ip,
  },
  status: finalStatus(reply),
  milliseconds: reply.elapsedTime,
});

/** Shortens the id of a share and the token of an invite, which open them, also in a percent-encoded path. Other paths are not changed. */
export function hideLinkSecrets(path: string): string {
  const decoded = path
    .replace(/%[2-7][0-9a-f]/gi, decodeURIComponent)
    .replace(/(share_..)[a-z2-7]+/g, '$1…')
    .replace(/(svcinv_..)[0-9a-f]+/gi, '$1…');
  return decoded.includes('…') ? decoded : path;
}
