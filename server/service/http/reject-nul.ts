import type { FastifyRequest } from 'fastify';
import { validationError } from '../../../src/protocol/errors.js';

/**
 * Rejects the character NUL in parameters, query and body, because not every database can store it. Call it after the schemas, which limit the size
 * of these values.
 * @throws `VALIDATION_ERROR` that names the field.
 */
export function rejectNul({ url, params, query, body, routeOptions }: FastifyRequest): void {
  // A URL can contain NUL only in its encoded form.
  if (url.includes('%00')) {
    // The wildcard at the end of a URL is a file path. Its route validates it.
    const { '*': _, ...named } = params as Record<string, string>;
    rejectNulIn(named, '');
    rejectNulIn(query, '');
  }
  if (routeOptions.schema?.body) rejectNulIn(body, '');
}

function rejectNulIn(value: unknown, field: string): void {
  if (typeof value === 'string' && value.includes('\0'))
    throw validationError(field || 'body', 'must not contain the character NUL');
  if (typeof value !== 'object' || value === null) return;
  for (const [name, child] of Object.entries(value)) rejectNulIn(child, field ? `${field}.${name}` : name);
}
