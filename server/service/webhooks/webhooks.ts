import type { ActivityChange } from '../../../src/protocol/activity-actions.js';
import { countLimitError } from '../../../src/protocol/count-limits.js';
import { BlobError } from '../../../src/protocol/errors.js';
import type { Metadata, Query } from '../drivers/metadata/metadata.js';
import { recordActivity } from '../identity/activities/record-activity.js';
import type { Creator } from '../identity/creator.js';
import type { Storage } from '../identity/credential.js';
import { lockAccount } from '../identity/lock-account.js';
import { creatorColumns, creatorIsActive } from '../identity/provenance.js';
import type { CreatorRow } from '../identity/provenance.js';
import type { OutboundClient } from '../outbound/outbound-client.js';
import { newId } from '../runtime/ids.js';
import { SecretBox } from '../runtime/secret-box.js';
import { newWebhookSecret } from './signature.js';
import { columnsOf } from './webhook-fields.js';
import type { WebhookFields } from './webhook-fields.js';
import { toWebhook } from './webhook-rows.js';
import type { WebhookRecord, WebhookRow } from './webhook-rows.js';

/** Webhooks of a storage. Each adds a row to every event. */
export const MAX_WEBHOOKS = 10;
/** Seconds for which the secret before a rotation still signs, by default. */
export const SECRET_OVERLAP = { min: 0, max: 604_800, default: 86_400 } as const;

const notFound = (id: string) => new BlobError('NOT_FOUND', `There is no webhook ${id}.`, { details: { id } });

/** Stores webhooks. A webhook ends with the API key or the membership that created it. */
export class Webhooks {
  readonly #secrets: SecretBox;

  constructor(
    private readonly metadata: Metadata,
    private readonly outbound: OutboundClient,
    serverSecret: Uint8Array,
    private readonly now: () => number,
  ) {
    this.#secrets = new SecretBox(serverSecret, 'svc-uploader webhooks');
  }

  /** Creates a webhook. @returns it with its secret, which cannot be read again. @throws `VALIDATION_ERROR`, `INVALID_PATH` */
  async create(
    storage: Storage,
    creator: Creator,
    fields: WebhookFields & Required<Pick<WebhookFields, 'url' | 'events'>>,
  ): Promise<WebhookRecord & { secret: string }> {
    const columns = columnsOf({ prefix: '', description: '', ...fields }, this.outbound);
    const id = newId('webhook');
    const secret = newWebhookSecret();
    return this.metadata.write(async (query) => {
      await lockAccount(this.metadata, query, storage.accountId);
      await this.#assertBelowLimit(query, storage);
      await query
        .insertInto('webhooks')
        .values({
          ...(columns as Required<typeof columns>),
          id,
          account_id: storage.accountId,
          bucket_id: storage.bucketId,
          secret: this.#secrets.seal(id, secret),
          created_at: this.now(),
          key_id: creator.keyId,
          member_id: creator.memberId,
        })
        .execute();
      const row = await this.#find(query, storage, id);
      await this.#record(query, creator, 'created', row);
      return { ...toWebhook(row, this.now()), secret };
    });
  }

  async #assertBelowLimit(query: Query, storage: Storage): Promise<void> {
    const lastAllowed = await this.#active(query, storage)
      .select('webhooks.id')
      .limit(1)
      .offset(MAX_WEBHOOKS - 1)
      .executeTakeFirst();
    if (lastAllowed)
      throw countLimitError(
        'url',
        `cannot get a webhook: the storage has ${MAX_WEBHOOKS}, the maximum. Delete one first`,
        'too_many_webhooks',
        MAX_WEBHOOKS,
      );
  }

  /** Lists the webhooks whose creators are active, oldest first. */
  async list(storage: Storage): Promise<WebhookRecord[]> {
    const rows = await this.#rows(this.metadata.db, storage).orderBy('webhooks.created_at').orderBy('webhooks.id').execute();
    return rows.map((row) => toWebhook(row, this.now()));
  }

  async get(storage: Storage, id: string): Promise<WebhookRecord> {
    return toWebhook(await this.#find(this.metadata.db, storage, id), this.now());
  }

  /** Changes a webhook. `status: 'enabled'` also ends a suspension. */
  change(
    storage: Storage,
    id: string,
    creator: Creator,
    { status, ...fields }: WebhookFields & { status?: 'enabled' | 'disabled' },
  ): Promise<WebhookRecord> {
    const columns = columnsOf(fields, this.outbound);
    const now = this.now();
    return this.metadata.write(async (query) => {
      await this.#find(query, storage, id);
      const changes = {
        ...columns,
        ...(status === 'enabled' && { stopped_at: null, stop_reason: null, failing_since: null }),
        ...(status === 'disabled' && { stopped_at: now, stop_reason: 'disabled' as const }),
      };
      if (Object.keys(changes).length > 0)
        await query.updateTable('webhooks').set(changes).where('id', '=', id).where('deleted_at', 'is', null).execute();
      const row = await this.#find(query, storage, id);
      await this.#record(query, creator, 'changed', row);
      return toWebhook(row, this.now());
    });
  }

  /** Replaces the secret. @param overlap seconds for which the earlier secret signs too. @returns the new secret with the record. */
  rotate(storage: Storage, id: string, creator: Creator, overlap: number): Promise<WebhookRecord & { secret: string }> {
    const secret = newWebhookSecret();
    return this.metadata.write(async (query) => {
      const { secret: previous } = await this.#find(query, storage, id);
      await query
        .updateTable('webhooks')
        .set({
          secret: this.#secrets.seal(id, secret),
          previous_secret: overlap === 0 ? null : previous,
          previous_ends_at: overlap === 0 ? null : this.now() + overlap * 1000,
        })
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .execute();
      const row = await this.#find(query, storage, id);
      await this.#record(query, creator, 'rotated', row);
      return { ...toWebhook(row, this.now()), secret };
    });
  }

  /** Deletes a webhook. No attempt begins afterwards. The sweep deletes its deliveries. */
  async delete(storage: Storage, id: string, creator: Creator): Promise<void> {
    await this.metadata.write(async (query) => {
      const row = await this.#find(query, storage, id);
      await query
        .updateTable('webhooks')
        .set({ deleted_at: this.now(), secret: '', previous_secret: null })
        .where('id', '=', id)
        .execute();
      await this.#record(query, creator, 'deleted', row);
    });
  }

  /** Returns the secrets that sign now, the current one first. */
  secretsOf({ id, secret, previous_secret, previous_ends_at }: WebhookRow): string[] {
    const overlaps = previous_secret !== null && previous_ends_at !== null && previous_ends_at > this.now();
    return [secret, ...(overlaps ? [previous_secret] : [])].map((sealed) => this.#secrets.open(id, sealed));
  }

  #active(query: Query, storage: Storage) {
    return query
      .selectFrom('webhooks')
      .leftJoin('api_keys', 'api_keys.id', 'webhooks.key_id')
      .where('webhooks.bucket_id', '=', storage.bucketId)
      .where('webhooks.deleted_at', 'is', null)
      .where(creatorIsActive('webhooks', this.metadata));
  }

  #rows(query: Query, storage: Storage) {
    return this.#active(query, storage).selectAll('webhooks').select(creatorColumns('webhooks', this.metadata));
  }

  async #find(query: Query, storage: Storage, id: string): Promise<WebhookRow & CreatorRow> {
    const row = await this.#rows(query, storage).where('webhooks.id', '=', id).executeTakeFirst();
    if (!row) throw notFound(id);
    return row;
  }

  /** The query and path of the URL may contain a secret of the receiver, so the activity log has only its origin. */
  #record(query: Query, creator: Creator, verb: ActivityChange<'webhook'>, row: WebhookRow): Promise<void> {
    const details = { origin: new URL(row.url).origin, events: JSON.parse(row.events_json) as string[], prefix: row.prefix };
    const target = { targetType: 'webhook', targetId: row.id, details };
    return recordActivity(query, creator, this.now(), { accountId: row.account_id, action: `webhook.${verb}`, ...target });
  }
}
