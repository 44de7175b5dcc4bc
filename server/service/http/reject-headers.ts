import type { FastifyRequest } from 'fastify';
import { invalid } from '../../../src/protocol/errors.js';

/** Node keeps the first of several, while a proxy may have judged the last. The HTTP parser itself refuses a repeated `Content-Length`. */
const SINGLE = new Set(['host', 'authorization']);

/** @throws `VALIDATION_ERROR` when a request states a header more than once that may appear only once. */
export function rejectRepeatedHeaders({ raw: { rawHeaders } }: FastifyRequest): void {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (!SINGLE.has(name)) continue;
    if (seen.has(name)) throw invalid(name, 'the header may be given only once');
    seen.add(name);
  }
}

/** @throws `VALIDATION_ERROR` for a body that was packed for its way here: it would be stored as it came. The HTTP parser unpacks `chunked` alone. */
export function rejectTransferCodings({ headers: { 'transfer-encoding': coding } }: FastifyRequest): void {
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked')
    throw invalid('transfer-encoding', 'only chunked is known');
}
