import type { BlobError } from '../../../../src/protocol/errors.js';
import { platformError } from '../../../../src/protocol/platform-errors.js';
import { OutboundError } from '../../outbound/outbound-error.js';

/**
 * Reasons for which a URL gave no file. `address`: its host has no public address. `connection`: no connection, or it broke off. `timeout`:
 * it took too long. `too_slow`: too few bytes arrived. `redirect`: too many redirects, or to a refused URL. `status`: the response was no 200.
 * `encoding`: the response was compressed.
 */
export type FetchFailure = 'address' | 'connection' | 'timeout' | 'too_slow' | 'redirect' | 'status' | 'encoding';

export const fetchFailed = (
  reason: FetchFailure,
  message: string,
  { cause, ...details }: Record<string, unknown> = {},
): BlobError =>
  platformError('FETCH_FAILED', message, { details: { reason, ...details }, ...(cause !== undefined && { cause }) });

/** Translates an error of the outbound client. Other errors stay. */
export function toFetchError(cause: unknown): unknown {
  if (!(cause instanceof OutboundError)) return cause;
  const { code, message } = cause;
  // The difference would tell which internal names exist.
  if (code === 'address_refused' || code === 'unresolved')
    return fetchFailed('address', 'The host of the URL has no address on the public internet.', { cause });
  if (code === 'invalid_url') return fetchFailed('redirect', `The URL of a redirect ${message}.`, { cause });
  return fetchFailed('connection', message, { cause });
}
