import { BlobError } from '../../../src/protocol/errors.js';
import type { Metadata } from '../drivers/metadata/metadata.js';
import type { DeliveryRow } from './webhook-rows.js';

const notFound = (id: string) => new BlobError('NOT_FOUND', `There is no delivery ${id}.`, { details: { id } });

export interface ListDeliveriesOptions {
  limit: number;
  status?: DeliveryRow['status'];
  /** Id of the last delivery of the previous page. */
  after?: string;
}

/** Reads and repeats the deliveries of a webhook. The caller has found the webhook in its storage. */
export class Deliveries {
  constructor(
    private readonly metadata: Metadata,
    private readonly now: () => number,
  ) {}

  /** Lists deliveries, newest first. */
  async list(webhookId: string, { limit, status, after }: ListDeliveriesOptions): Promise<DeliveryRow[]> {
    let query = this.metadata.db
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('webhook_id', '=', webhookId)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit);
    if (status !== undefined) query = query.where('status', '=', status);
    if (after !== undefined) {
      const { created_at, id } = await this.get(webhookId, after);
      query = query.where((e) =>
        e.or([e('created_at', '<', created_at), e.and([e('created_at', '=', created_at), e('id', '<', id)])]),
      );
    }
    return query.execute();
  }

  /** @throws `NOT_FOUND` */
  async get(webhookId: string, id: string): Promise<DeliveryRow> {
    const row = await this.metadata.db
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('webhook_id', '=', webhookId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw notFound(id);
    return row;
  }

  /** Sends a delivery again, with the same id, as soon as possible. Its attempts count anew. @throws `NOT_FOUND` */
  async repeat(webhookId: string, id: string): Promise<DeliveryRow> {
    const row = await this.metadata.write((query) =>
      query
        .updateTable('webhook_deliveries')
        .set({ status: 'pending', attempts: 0, due_at: this.now(), lease: null, settled_at: null })
        .where('webhook_id', '=', webhookId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst(),
    );
    if (!row) throw notFound(id);
    return row;
  }
}
