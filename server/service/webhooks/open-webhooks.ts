import type { Metadata } from '../drivers/metadata/metadata.js';
import type { OutboundClient } from '../outbound/outbound-client.js';
import { Deliveries } from './deliveries.js';
import { Leases } from './leases.js';
import { WebhookRetention } from './retention.js';
import { Webhooks } from './webhooks.js';

/** The parts of webhooks. */
export interface WebhookParts {
  webhooks: Webhooks;
  webhookDeliveries: Deliveries;
  webhookLeases: Leases;
  webhookRetention: WebhookRetention;
}

export function openWebhooks(
  metadata: Metadata,
  { outbound, secret, now }: { outbound: OutboundClient; secret: Uint8Array; now: () => number },
): WebhookParts {
  return {
    webhooks: new Webhooks(metadata, outbound, secret, now),
    webhookDeliveries: new Deliveries(metadata, now),
    webhookLeases: new Leases(metadata, now),
    webhookRetention: new WebhookRetention(metadata, now),
  };
}
