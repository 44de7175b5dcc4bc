import type { Metadata, Query } from '../drivers/metadata/metadata.js';
import { endedKeys, isOfEndedMember } from '../identity/provenance.js';
import { stopWebhook } from './leases.js';

/** Deliveries are kept for this long, also those that were never sent. */
const KEEP_MS = 7 * 86_400_000;
/** Settled deliveries of a webhook. The oldest beyond are deleted early. */
const MAX_SETTLED = 100_000;
/** Pending deliveries of a webhook. Beyond, it is suspended, because its endpoint is too slow. */
const MAX_PENDING = 500_000;
/** Rows of one transaction. */
const BATCH = 500;

const idsOf = (query: Query, webhookId: string) =>
  query.selectFrom('webhook_deliveries').select('id').where('webhook_id', '=', webhookId);

/** Selects the ids of deliveries to delete. */
type SelectIds = (query: Query) => ReturnType<typeof idsOf>;

const createdBefore =
  (webhookId: string, time: number): SelectIds =>
  (query) =>
    idsOf(query, webhookId).where('created_at', '<', time);

const settledUpTo =
  (webhookId: string, time: number): SelectIds =>
  (query) =>
    idsOf(query, webhookId).where('settled_at', '<=', time);

export interface RetentionLimits {
  maxSettled?: number;
  maxPending?: number;
}

/** Deletes old deliveries and the webhooks of ended creators, and suspends webhooks with too many pending deliveries. Safe in several replicas at once. */
export class WebhookRetention {
  constructor(
    private readonly metadata: Metadata,
    private readonly now: () => number,
    private readonly limits: RetentionLimits = {},
  ) {}

  /** @returns the number of deleted deliveries. */
  async sweep(signal?: AbortSignal): Promise<number> {
    await this.#markEnded();
    let deleted = 0;
    const webhooks = await this.metadata.db.selectFrom('webhooks').select(['id', 'deleted_at', 'stopped_at']).execute();
    for (const { id, deleted_at, stopped_at } of webhooks) {
      signal?.throwIfAborted();
      if (deleted_at !== null) {
        deleted += await this.#deleteAll(id, signal);
        continue;
      }
      if (stopped_at === null) await this.#suspendBacklog(id);
      deleted += await this.#deleteWhere(createdBefore(id, this.now() - KEEP_MS), signal);
      const settledBefore = await this.#oldestKept(id);
      if (settledBefore !== undefined) deleted += await this.#deleteWhere(settledUpTo(id, settledBefore), signal);
    }
    return deleted;
  }

  /** Ends webhooks whose creating key was revoked or whose creating member was removed. */
  async #markEnded(): Promise<void> {
    const now = this.now();
    await this.metadata.write(
      (query) =>
        query
          .updateTable('webhooks')
          .set({ deleted_at: now, secret: '', previous_secret: null })
          .where('deleted_at', 'is', null)
          .where((e) => e.or([e('key_id', 'in', endedKeys(query, now)), isOfEndedMember]))
          .execute(),
      { durable: false },
    );
  }

  async #suspendBacklog(id: string): Promise<void> {
    const { maxPending = MAX_PENDING } = this.limits;
    const beyond = await this.metadata.db
      .selectFrom('webhook_deliveries')
      .select('due_at')
      .where('webhook_id', '=', id)
      .where('status', '=', 'pending')
      .orderBy('due_at')
      .limit(1)
      .offset(maxPending)
      .executeTakeFirst();
    if (beyond) await this.metadata.write((query) => stopWebhook(query, id, 'backlog', this.now()));
  }

  /** @returns when the newest delivery beyond the limit was settled. */
  async #oldestKept(id: string): Promise<number | undefined> {
    const { maxSettled = MAX_SETTLED } = this.limits;
    const row = await this.metadata.db
      .selectFrom('webhook_deliveries')
      .select('settled_at')
      .where('webhook_id', '=', id)
      .where('settled_at', 'is not', null)
      .orderBy('settled_at', 'desc')
      .limit(1)
      .offset(maxSettled)
      .executeTakeFirst();
    return row?.settled_at ?? undefined;
  }

  async #deleteAll(id: string, signal: AbortSignal | undefined): Promise<number> {
    const deleted = await this.#deleteWhere(createdBefore(id, Number.MAX_SAFE_INTEGER), signal);
    // A transaction that began before the deletion may still add deliveries. The next sweep finds them.
    await this.metadata.write(
      (query) =>
        query
          .deleteFrom('webhooks')
          .where('id', '=', id)
          .where((e) =>
            e.not(e.exists(e.selectFrom('webhook_deliveries as d').select('d.id').whereRef('d.webhook_id', '=', 'webhooks.id'))),
          )
          .where('deleted_at', '<', this.now() - 60_000)
          .execute(),
      { durable: false },
    );
    return deleted;
  }

  async #deleteWhere(select: SelectIds, signal: AbortSignal | undefined): Promise<number> {
    let deleted = 0;
    for (;;) {
      signal?.throwIfAborted();
      const { numDeletedRows } = await this.metadata.write(
        (query) => query.deleteFrom('webhook_deliveries').where('id', 'in', select(query).limit(BATCH)).executeTakeFirstOrThrow(),
        { durable: false },
      );
      deleted += Number(numDeletedRows);
      if (Number(numDeletedRows) < BATCH) return deleted;
    }
  }
}
