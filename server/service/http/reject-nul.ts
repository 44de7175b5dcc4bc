import type { FastifyRequest } from 'fastify';
import { invalid } from '../../../src/protocol/errors.js';

/**
 * Refuses the character NUL wherever a request states something: not every database keeps it, and all shall answer alike. After the
 * schemas, which bound what is looked through here: a body without one is read by nobody. @throws `VALIDATION_ERROR` that names the field.
 */
export function rejectNul({ url, params, query, body, routeOptions }: FastifyRequest): void {
  // In an address it stands encoded or not at all.
  if (url.includes('%00')) {
    // What an address ends with is a path, which its route judges.
    const { '*': _, ...named } = params as Record<string, string>;
    lookThrough(named, '');
    lookThrough(query, '');
  }
  if (routeOptions.schema?.body) lookThrough(body, '');
}

function lookThrough(value: unknown, field: string): void {
  if (typeof value === 'string' && value.includes('\0')) throw invalid(field || 'body', 'must not hold the character NUL');
  if (typeof value !== 'object' || value === null) return;
  for (const [name, one] of Object.entries(value)) lookThrough(one, field ? `${field}.${name}` : name);
}
