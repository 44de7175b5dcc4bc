import type { FastifyRequest } from 'fastify';

/**
 * Returns the end of the request's path as it was sent, so that the route can decode it once. Counts segments instead of comparing the start, because the
 * router also matches `/v1/%66iles/…`.
 * @param segments number of segments to skip.
 */
export function encodedPath({ raw: { url = '' } }: FastifyRequest, segments: number): string {
  return url
    .replace(/\?.*$/s, '')
    .split('/')
    .slice(segments + 1)
    .join('/');
}
