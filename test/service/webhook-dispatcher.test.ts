import { Readable } from 'node:stream';
import { afterEach, expect, it } from 'vitest';
import type { OutboundClient } from '../../server/service/outbound/outbound-client.js';
import { Dispatcher } from '../../server/service/webhooks/dispatcher.js';
import type { Leases } from '../../server/service/webhooks/leases.js';
import type { DeliveryRow, WebhookRow } from '../../server/service/webhooks/webhook-rows.js';
import type { Webhooks } from '../../server/service/webhooks/webhooks.js';

let dispatcher: Dispatcher;
afterEach(() => dispatcher.stop());

/** A dispatcher of webhooks whose deliveries are always due. The endpoints of the host `slow` do not respond. */
function start(webhooks: { id: string; account_id: string; url: string }[]) {
  const sent = new Map<string, number>();
  let deliveries = 0;
  const leases: Partial<Leases> = {
    findDueWebhooks: async () => webhooks as WebhookRow[],
    take: async (webhookId, limit) =>
      Array.from({ length: limit }, () => {
        const id = `msg_${++deliveries}`;
        return { id, webhook_id: webhookId, event: 'file.created', created_at: 0, data_json: '{}' } as DeliveryRow;
      }),
    settle: async () => ({ outcome: 'delivered' }),
    giveBack: async () => {},
  };
  const client: Partial<OutboundClient> = {
    send: ({ href, hostname }, { signal }) => {
      sent.set(href, (sent.get(href) ?? 0) + 1);
      if (hostname !== 'slow') return Promise.resolve(Object.assign(Readable.from([]), { statusCode: 204 }) as never);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    },
  };
  dispatcher = new Dispatcher({
    leases: leases as Leases,
    webhooks: { secretsOf: () => ['whsec_AAAA'] } as Partial<Webhooks> as Webhooks,
    client: client as OutboundClient,
    render: () => expect.unreachable('the events have no file'),
    stopWithin: 0,
    now: Date.now,
    onAttempt: () => {},
    onFailure: (cause) => expect.unreachable(String(cause)),
  });
  dispatcher.start();
  return { sentTo: (url: string) => sent.get(url) ?? 0 };
}

const slowWebhooks = (count: number, account_id: string) =>
  Array.from({ length: count }, (_, index) => ({
    id: `${account_id}_${index}`,
    account_id,
    url: `http://slow/${account_id}/${index}`,
  }));

it('the slow endpoints of one account leave places for other accounts', async () => {
  const slow = slowWebhooks(10, 'first');
  const other = { id: 'webhook_other', account_id: 'second', url: 'http://fast/' };
  const { sentTo } = start([...slow, other]);
  await expect.poll(() => sentTo(other.url)).toBeGreaterThan(100);
  const running = slow.map(({ url }) => sentTo(url)).reduce((sum, one) => sum + one);
  expect(running).toBe(64);
});

it('one slow endpoint leaves places for the other endpoints of its account', async () => {
  const slow = slowWebhooks(3, 'first');
  const other = { id: 'webhook_other', account_id: 'first', url: 'http://fast/' };
  const { sentTo } = start([...slow, other]);
  await expect.poll(() => sentTo(other.url)).toBeGreaterThan(100);
  expect(slow.map(({ url }) => sentTo(url))).toEqual([16, 16, 16]);
});
