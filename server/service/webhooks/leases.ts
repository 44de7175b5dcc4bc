import { randomText } from '../runtime/ids.js';
import type { Metadata } from '../drivers/metadata/metadata.js';
import { recordActivity } from '../identity/activities/record-activity.js';
import { SYSTEM_CREATOR } from '../identity/creator.js';
import { creatorColumns, provenanceOf } from '../identity/provenance.js';
import type { StopReason } from '../drivers/metadata/webhook-tables.js';
import type { Query } from '../drivers/metadata/metadata.js';
import { delayAfter } from './backoff.js';
import type { Attempt, DeliveryRow, WebhookRow } from './webhook-rows.js';

/** A replica has this long to send a delivery and to record the outcome. Afterwards another replica may send it. */
export const LEASE_MS = 30_000;
/** A webhook without a success for this long is suspended when all attempts of a delivery have failed. */
const SUSPEND_AFTER_MS = 5 * 86_400_000;
/** Attempts that are kept for each delivery: two rounds. */
const MAX_KEPT_ATTEMPTS = 22;

export type Outcome = 'delivered' | 'retry' | 'failed';

/**
 * The queue of pending deliveries. A replica takes a delivery by moving its `due_at` to the end of a lease, in one transaction, so exactly one
 * replica sends it. After a crash the delivery is due again when the lease ends.
 */
export class Leases {
  constructor(
    private readonly metadata: Metadata,
    private readonly now: () => number,
  ) {}

  /** Finds the webhooks that have due deliveries and whose creators may still read. */
  async findDueWebhooks(): Promise<WebhookRow[]> {
    const rows = await this.metadata.db
      .selectFrom('webhooks')
      .leftJoin('api_keys', 'api_keys.id', 'webhooks.key_id')
      .selectAll('webhooks')
      .select(creatorColumns('webhooks', this.metadata))
      .where('webhooks.stopped_at', 'is', null)
      .where('webhooks.deleted_at', 'is', null)
      .where((e) =>
        e.exists(
          e
            .selectFrom('webhook_deliveries as d')
            .select('d.id')
            .whereRef('d.webhook_id', '=', 'webhooks.id')
            .where('d.status', '=', 'pending')
            .where('d.due_at', '<=', this.now()),
        ),
      )
      .execute();
    return rows.filter((row) => provenanceOf(row)?.mayRead);
  }

  /** Takes up to `limit` due deliveries of a webhook. */
  async take(webhookId: string, limit: number): Promise<DeliveryRow[]> {
    return this.metadata.write(
      async (query) => {
        const due = query
          .selectFrom('webhook_deliveries')
          .select('id')
          .where('webhook_id', '=', webhookId)
          .where('status', '=', 'pending')
          .where('due_at', '<=', this.now())
          .orderBy('due_at')
          .limit(limit);
        const ids = (await this.metadata.forUpdateSkipLocked(due).execute()).map((row) => row.id);
        if (ids.length === 0) return [];
        return query
          .updateTable('webhook_deliveries')
          .set({ due_at: this.now() + LEASE_MS, lease: randomText(26) })
          .where('id', 'in', ids)
          .returningAll()
          .execute();
      },
      { durable: false },
    );
  }

  /** Records an attempt, unless the lease has ended. @returns undefined if it has. */
  async settle(delivery: DeliveryRow, attempt: Attempt): Promise<{ outcome: Outcome; stopped?: StopReason } | undefined> {
    const now = this.now();
    const isDelivered = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
    const attempts = delivery.attempts + 1;
    const delay = isDelivered ? undefined : delayAfter(attempts);
    const outcome: Outcome = isDelivered ? 'delivered' : delay === undefined ? 'failed' : 'retry';
    const kept = [...(JSON.parse(delivery.attempts_json) as Attempt[]), attempt].slice(-MAX_KEPT_ATTEMPTS);
    return this.metadata.write(
      async (query) => {
        const { numUpdatedRows } = await query
          .updateTable('webhook_deliveries')
          .set({
            attempts,
            attempts_json: JSON.stringify(kept),
            lease: null,
            ...(outcome === 'retry' ? { due_at: now + delay! } : { status: outcome, settled_at: now }),
          })
          .where('id', '=', delivery.id)
          .where('lease', '=', delivery.lease)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return undefined;
        if (!isDelivered) return { outcome, ...(await this.#recordFailure(query, delivery.webhook_id, attempt, outcome)) };
        await query
          .updateTable('webhooks')
          .set({ failing_since: null })
          .where('id', '=', delivery.webhook_id)
          .where('failing_since', 'is not', null)
          .execute();
        return { outcome };
      },
      { durable: false },
    );
  }

  /**
   * Suspends a webhook that has failed for days, or whose endpoint is gone. A webhook with few events may have failed once, days ago. So its next
   * delivery gets all its attempts before the suspension.
   */
  async #recordFailure(query: Query, id: string, { status }: Attempt, outcome: Outcome): Promise<{ stopped?: StopReason }> {
    const now = this.now();
    await query
      .updateTable('webhooks')
      .set({ failing_since: now })
      .where('id', '=', id)
      .where('failing_since', 'is', null)
      .execute();
    const row = await query.selectFrom('webhooks').select('failing_since').where('id', '=', id).executeTakeFirst();
    const isFailing = outcome === 'failed' && (row?.failing_since ?? now) <= now - SUSPEND_AFTER_MS;
    const reason = status === 410 ? 'gone' : isFailing ? 'failing' : undefined;
    return reason !== undefined && (await stopWebhook(query, id, reason, now)) ? { stopped: reason } : {};
  }

  /** Gives a delivery back whose attempt was interrupted by the stop of the service. */
  async giveBack({ id, lease }: DeliveryRow): Promise<void> {
    await this.metadata.write(
      (query) =>
        query
          .updateTable('webhook_deliveries')
          .set({ due_at: this.now(), lease: null })
          .where('id', '=', id)
          .where('lease', '=', lease)
          .execute(),
      { durable: false },
    );
  }

  /** Ends the leases of a process that died. Only for a process that is alone on the data. */
  async endAll(): Promise<void> {
    await this.metadata.write(
      (query) =>
        query
          .updateTable('webhook_deliveries')
          .set({ due_at: this.now(), lease: null })
          .where('status', '=', 'pending')
          .where('lease', 'is not', null)
          .execute(),
      { durable: false },
    );
  }
}

/** Suspends a webhook and records it in the activity log. @returns false if it was stopped or deleted before. */
export async function stopWebhook(query: Query, id: string, reason: StopReason, now: number): Promise<boolean> {
  const row = await query
    .updateTable('webhooks')
    .set({ stopped_at: now, stop_reason: reason })
    .where('id', '=', id)
    .where('stopped_at', 'is', null)
    .where('deleted_at', 'is', null)
    .returning(['account_id', 'url'])
    .executeTakeFirst();
  if (!row) return false;
  await recordActivity(query, SYSTEM_CREATOR, now, {
    accountId: row.account_id,
    action: 'webhook.suspended',
    targetType: 'webhook',
    targetId: id,
    details: { reason, origin: new URL(row.url).origin },
  });
  return true;
}
