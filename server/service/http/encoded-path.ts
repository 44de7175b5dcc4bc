import type { FastifyRequest } from 'fastify';

/**
 * Cuts an address behind its first segments. The rest is as it was sent, so that its route decodes it exactly once. Segments are counted, because
 * the router also matches `/v1/%66iles/…`.
 * @param segments how many are cut off
 */
export function encodedPath({ raw: { url = '' } }: FastifyRequest, segments: number): string {
  return url
    .replace(/\?.*$/s, '')
    .split('/')
    .slice(segments + 1)
    .join('/');
}
