import { validatePrefix } from '../../../src/protocol/paths.js';
import type { WebhookEvent, WebhooksTable } from '../drivers/metadata/webhook-tables.js';
import type { OutboundClient } from '../outbound/outbound-client.js';
import { parseUrlField } from '../outbound/parse-url-field.js';

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
    ...(url !== undefined && { url: parseUrlField(url, outbound).href }),
    ...(events !== undefined && { events_json: JSON.stringify([...new Set(events)]) }),
    ...(prefix !== undefined && { prefix: prefix === '' || prefix === '/' ? '' : validatePrefix(prefix) }),
    ...(description !== undefined && { description }),
  };
}
