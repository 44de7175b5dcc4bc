import type { FastifyRequest } from 'fastify';
import { BlobError } from '../../../src/protocol/errors.js';
import { hideLinkSecrets } from './request-log.js';

/** Creates the error for an address that the service does not serve. */
export function noRoute({ method, url }: FastifyRequest): BlobError {
  const path = hideLinkSecrets(url.replace(/\?.*$/s, ''));
  return new BlobError('NOT_FOUND', `There is no route ${method} ${path}. See /docs for all routes.`);
}
