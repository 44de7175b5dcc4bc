import type { FastifyRequest } from 'fastify';
import { validationError } from '../../../src/protocol/errors.js';

/** Node uses the first of repeated headers, but a proxy may have checked the last. The HTTP parser rejects a repeated `Content-Length`. */
const SINGLE_HEADERS = new Set(['host', 'authorization']);

/** @throws `VALIDATION_ERROR` for a repeated header that may appear only once. */
export function rejectRepeatedHeaders({ raw: { rawHeaders } }: FastifyRequest): void {
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    if (!SINGLE_HEADERS.has(name)) continue;
    if (seen.has(name)) throw validationError(name, 'must appear only once');
    seen.add(name);
  }
}

/** @throws `VALIDATION_ERROR` for a compressed transfer coding. The HTTP parser decodes only `chunked`, so compressed bytes would be stored. */
export function rejectTransferCodings({ headers: { 'transfer-encoding': coding } }: FastifyRequest): void {
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked')
    throw validationError('transfer-encoding', `must be chunked; got ${coding}`);
}
