import type { FastifyReply, FastifyRequest } from 'fastify';
import { disconnectSignal } from '../http/disconnect-signal.js';
import { readBody } from '../http/minimum-rate.js';
import type { RouteContext } from './context.js';

/** A connection without a byte in either direction for this time counts as lost. */
const SILENCE_TIMEOUT_MS = 120_000;

/** Reads the body of a request at the minimum rate; see `readBody`. */
export const requestBody = (
  { minimumRate }: Pick<RouteContext, 'minimumRate'>,
  { raw }: FastifyRequest,
): AsyncGenerator<Buffer> => readBody(raw, minimumRate);

/** Reads `Content-Length`, which Node has validated. */
export const contentLength = (request: FastifyRequest): number | undefined =>
  request.headers['content-length'] === undefined ? undefined : Number(request.headers['content-length']);

/**
 * Returns a signal that aborts when the client disconnects before the end of the response, or is silent. A phone that lost its network does not
 * close its connection. Without the timeout, its upload would block its own repeat with the same Idempotency-Key.
 * @param silenceMs time without a byte after which the connection counts as lost
 */
export function connectionSignal({ raw }: FastifyReply, silenceMs = SILENCE_TIMEOUT_MS): AbortSignal {
  raw.setTimeout(silenceMs);
  return disconnectSignal(raw);
}
