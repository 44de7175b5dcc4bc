import { validationError } from '../../../src/protocol/errors.js';
import { validatePrefix } from '../../../src/protocol/paths.js';
import type { WebhookEvent, WebhooksTable } from '../drivers/metadata/webhook-tables.js';
import type { OutboundClient } from '../outbound/outbound-client.js';
import { OutboundError } from '../outbound/outbound-error.js';
import { parseOutboundUrl } from '../outbound/parse-url.js';

/** The fields of a webhook that users set. */
export interface WebhookFields {
  url?: string;
  events?: WebhookEvent[];
  prefix?: string;
  description?: string;
}

/** Validates the given fields and returns their columns. @throws `VALIDATION_ERROR`, `INVALID_PATH` */
export function columnsOf(
  { url, events, prefix, description }: WebhookFields,
  outbound: OutboundClient,
): Partial<Pick<WebhooksTable, 'url' | 'events_json' | 'prefix' | 'description'>> {
  return {
    ...(url !== undefined && { url: validateUrl(url, outbound) }),
    ...(events !== undefined && { events_json: JSON.stringify([...new Set(events)]) }),
    ...(prefix !== undefined && { prefix: prefix === '' || prefix === '/' ? '' : validatePrefix(prefix) }),
    ...(description !== undefined && { description }),
  };
}

/** Names are not resolved here: DNS may change, and the response would tell which internal names exist. */
function validateUrl(text: string, outbound: OutboundClient): string {
  try {
    const url = parseOutboundUrl(text);
    outbound.assertLiteral(url);
    return url.href;
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause;
    const requirement = cause.code === 'address_refused' ? 'must be on the public internet' : cause.message;
    throw validationError('url', requirement, { cause });
  }
}
