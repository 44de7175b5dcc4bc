import { validationError } from '../../../src/protocol/errors.js';
import { newId } from '../runtime/ids.js';
import type { Metadata, Query } from '../drivers/metadata/metadata.js';
import { preparedQuery } from '../drivers/metadata/prepared-queries/prepared-query.js';
import type { Storage } from './credential.js';

const mainBucket = preparedQuery<{ accountId: string }>()((query, { accountId }) =>
  query.selectFrom('buckets').select('id').where('account_id', '=', accountId).where('is_main', '=', 1),
);

/** Stores accounts, which own storage. */
export class Accounts {
  readonly #metadata: Metadata;
  readonly #now: () => number;

  constructor(metadata: Metadata, now: () => number) {
    this.#metadata = metadata;
    this.#now = now;
  }

  /**
   * Creates an account and its main bucket unless they exist. The main bucket has the name of the account. Bucket names are unique in the
   * service.
   * @throws `VALIDATION_ERROR` if another account has a bucket of that name. Nothing is created then.
   */
  async ensure(id: string, name = id): Promise<void> {
    await this.#metadata.write((query) => this.ensureIn(query, id, name));
  }

  /** Does the same in the transaction of the caller. */
  async ensureIn(query: Query, id: string, name = id): Promise<void> {
    const created_at = this.#now();
    await query
      .insertInto('accounts')
      .values({ id, name, created_at })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await query
      .insertInto('buckets')
      .values({ id: newId('bucket'), account_id: id, name: id, is_main: 1, settings_json: '{}', created_at })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    if (!(await mainBucket.first(query, { accountId: id })))
      throw validationError(
        'account',
        `must not be "${id}", which is the name of a bucket of another account; choose another id, or delete that bucket`,
      );
  }

  /** Limits the bytes that an account may store. Files beyond a new limit are kept. @param quota_bytes null for no limit. */
  async setQuota(id: string, quota_bytes: number | null): Promise<void> {
    await this.#metadata.write((query) => query.updateTable('accounts').set({ quota_bytes }).where('id', '=', id).execute());
  }

  /** Returns the main bucket of an account, which the REST API shows; undefined for an unknown account. */
  async mainStorage(accountId: string): Promise<Storage | undefined> {
    const row = await mainBucket.first(this.#metadata.db, { accountId });
    return row && { accountId, bucketId: row.id };
  }
}
