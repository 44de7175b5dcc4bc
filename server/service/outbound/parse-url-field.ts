import { validationError } from '../../../src/protocol/errors.js';
import type { OutboundClient } from './outbound-client.js';
import { OutboundError } from './outbound-error.js';
import { parseOutboundUrl } from './parse-url.js';

/**
 * Parses the field `url` of a request. Names are not resolved here: DNS may change, and the response would tell which internal names exist.
 * @throws `VALIDATION_ERROR`
 */
export function parseUrlField(text: string, outbound: OutboundClient): URL {
  try {
    const url = parseOutboundUrl(text);
    outbound.assertLiteral(url);
    return url;
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause;
    const requirement = cause.code === 'address_refused' ? 'must be on the public internet' : cause.message;
    throw validationError('url', requirement, { cause });
  }
}
