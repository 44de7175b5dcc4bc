import type { Selectable } from 'kysely';
import { countLimitError } from '../../../../src/protocol/count-limits.js';
import { validationError } from '../../../../src/protocol/errors.js';
import { lockAccount } from '../../identity/lock-account.js';
import { newId } from '../../runtime/ids.js';
import { preparedQuery } from '../../drivers/metadata/prepared-queries/prepared-query.js';
import type { BucketsTable } from '../../drivers/metadata/tables.js';
import type { StorageContext } from '../context.js';
import type { Bucket } from '../types.js';

const toBucket = (row: Selectable<BucketsTable>): Bucket => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  isMain: row.is_main === 1,
  settings: JSON.parse(row.settings_json) as Record<string, unknown>,
  createdAt: row.created_at,
});

const byName = preparedQuery<{ name: string }>()((query, { name }) =>
  query.selectFrom('buckets').selectAll().where('name', '=', name),
);

/** Buckets of an account, apart from its main bucket. */
export const MAX_BUCKETS = 1000;

/** @throws `VALIDATION_ERROR` with `details.reason` `yours`, `taken` or `too_many_buckets`. */
export async function createBucket(context: StorageContext, accountId: string, name: string): Promise<Bucket> {
  return context.metadata.write(async (query) => {
    await lockAccount(context.metadata, query, accountId);
    const own = query.selectFrom('buckets').select(['id', 'name']).where('account_id', '=', accountId).where('is_main', '=', 0);
    const existing = await own.where('name', '=', name).executeTakeFirst();
    const last = existing
      ? undefined
      : await own
          .limit(1)
          .offset(MAX_BUCKETS - 1)
          .executeTakeFirst();
    if (last)
      throw countLimitError(
        'name',
        `cannot name another bucket: the account has ${MAX_BUCKETS} buckets, the maximum`,
        'too_many_buckets',
        MAX_BUCKETS,
      );
    const row = await query
      .insertInto('buckets')
      .values({ id: newId('bucket'), account_id: accountId, name, is_main: 0, settings_json: '{}', created_at: context.now() })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .returningAll()
      .executeTakeFirst();
    if (row) return toBucket(row);
    const owner = await query.selectFrom('buckets').select('account_id').where('name', '=', name).executeTakeFirst();
    throw validationError('name', 'is the name of another bucket', {
      details: { reason: owner?.account_id === accountId ? 'yours' : 'taken' },
    });
  });
}

export async function findBucket(context: StorageContext, name: string): Promise<Bucket | undefined> {
  const row = await byName.first(context.metadata.db, { name });
  return row && toBucket(row);
}

export async function listBuckets(context: StorageContext, accountId: string): Promise<Bucket[]> {
  const rows = await context.metadata.db
    .selectFrom('buckets')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy(context.metadata.bytewise('name'))
    .execute();
  return rows.map(toBucket);
}

export function deleteBucket(context: StorageContext, bucket: Bucket): Promise<void> {
  return context.metadata.write(async (query) => {
    if (bucket.isMain)
      throw validationError('name', 'is the main bucket, which cannot be deleted', { details: { reason: 'main' } });
    const select = query.selectFrom('buckets').select('id').where('id', '=', bucket.id);
    await context.metadata.forUpdate(select).executeTakeFirst();
    const file = await query.selectFrom('files').select('id').where('bucket_id', '=', bucket.id).limit(1).executeTakeFirst();
    if (file) throw validationError('name', 'is a bucket that contains files', { details: { reason: 'not_empty' } });
    await query.deleteFrom('buckets').where('id', '=', bucket.id).execute();
  });
}

/** Changes some settings under a lock, so that parallel changes of other settings stay. `undefined` removes a setting. */
export async function changeBucketSettings(
  context: StorageContext,
  bucket: Bucket,
  changes: Record<string, unknown>,
): Promise<void> {
  await context.metadata.write(async (query) => {
    const select = query.selectFrom('buckets').select('settings_json').where('id', '=', bucket.id);
    const row = await context.metadata.forUpdate(select).executeTakeFirst();
    if (!row) return;
    const settings = { ...(JSON.parse(row.settings_json) as Record<string, unknown>), ...changes };
    await query
      .updateTable('buckets')
      .set({ settings_json: JSON.stringify(settings) })
      .where('id', '=', bucket.id)
      .execute();
  });
}
