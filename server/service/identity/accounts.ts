import { invalid } from '../../../src/protocol/errors.js';
import { newId } from '../runtime/ids.js';
import type { Metadata } from '../drivers/metadata/metadata.js';
import { statement } from '../drivers/metadata/prepared-query.js';
import type { Storage } from './credential.js';

const mainBucket = statement<{ accountId: string }>()((query, { accountId }) =>
  query.selectFrom('buckets').select('id').where('account_id', '=', accountId).where('is_main', '=', 1),
);

/** Who owns storage. Workspaces and their members come to stand here. */
export class Accounts {
  readonly #metadata: Metadata;
  readonly #now: () => number;

  constructor(metadata: Metadata, now: () => number) {
    this.#metadata = metadata;
    this.#now = now;
  }

  /**
   * Creates the account and its main bucket where they are missing. The main bucket bears the account's id, and bucket names are unique over
   * the whole service.
   * @throws `VALIDATION_ERROR` when a bucket of another account has that name; nothing is created then.
   */
  async ensure(id: string, name = id): Promise<void> {
    await this.#metadata.write(async (query) => {
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
        throw invalid(
          'account',
          `"${id}" is the name of a bucket of another account; choose another account id, or delete that bucket`,
        );
    });
  }

  /** Bytes the account may store; null: no limit. What is stored beyond it stays. */
  async setQuota(id: string, quota_bytes: number | null): Promise<void> {
    await this.#metadata.write((query) => query.updateTable('accounts').set({ quota_bytes }).where('id', '=', id).execute());
  }

  /** What REST shows of an account; undefined when there is no such account. */
  async mainStorage(accountId: string): Promise<Storage | undefined> {
    const row = await mainBucket.first(this.#metadata.db, { accountId });
    return row && { accountId, bucketId: row.id };
  }
}
