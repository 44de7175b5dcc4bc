import { sql } from 'kysely';
import { BlobError } from '../../../src/protocol/errors.js';
import type { Query } from '../metadata/metadata.js';
import { statement } from '../metadata/prepared.js';
import type { UsageTable } from '../metadata/tables.js';
import type { BlobsContext } from './context.js';
import type { UsageFacts } from './types.js';

const SLOTS = 16;

const add = statement<UsageTable>()((query, { account_id, slot, files, bytes, public_files }) =>
  query
    .insertInto('usage')
    .values({ account_id, slot, files, bytes, public_files })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'slot']).doUpdateSet({
        files: sql`usage.files + excluded.files`,
        bytes: sql`usage.bytes + excluded.bytes`,
        public_files: sql`usage.public_files + excluded.public_files`,
      }),
    ),
);

/** Adds to an account's running sums. */
export async function addUsage(
  query: Query,
  accountId: string,
  change: { files: number; bytes: number; publicFiles: number },
): Promise<void> {
  await add.run(query, {
    account_id: accountId,
    slot: Math.floor(Math.random() * SLOTS),
    files: change.files,
    bytes: change.bytes,
    public_files: change.publicFiles,
  });
}

/**
 * One statement and so one snapshot: a commit moves bytes from `reservations` to `usage`, and between two statements it would count in
 * neither.
 */
async function sums(query: Query, accountId: string) {
  const row = await query
    .selectNoFrom((e) => {
      const usage = e.selectFrom('usage').where('account_id', '=', accountId);
      const running = e.selectFrom('reservations').where('account_id', '=', accountId);
      const parts = e.selectFrom('parts').innerJoin('uploads', 'uploads.id', 'parts.upload_id');
      const resumables = e.selectFrom('resumables').where('account_id', '=', accountId).where('file_json', 'is', null);
      return [
        usage.select(({ fn }) => fn.sum('files').as('sum')).as('files'),
        usage.select(({ fn }) => fn.sum('bytes').as('sum')).as('bytes'),
        usage.select(({ fn }) => fn.sum('public_files').as('sum')).as('publicFiles'),
        running.select(({ fn }) => fn.countAll().as('count')).as('running'),
        running.select(({ fn }) => fn.sum('bytes').as('sum')).as('reserved'),
        parts
          .where('uploads.account_id', '=', accountId)
          .select(({ fn }) => fn.sum('parts.size').as('sum'))
          .as('parts'),
        // A resumable upload holds all it announced, whether its pieces have come or not.
        resumables.select(({ fn }) => fn.sum('length').as('sum')).as('announced'),
        resumables.select(({ fn }) => fn.sum('stored').as('sum')).as('stored'),
      ];
    })
    .executeTakeFirstOrThrow();
  const number = (sum: number | string | bigint | null) => Number(sum ?? 0);
  return {
    files: number(row.files),
    bytes: number(row.bytes),
    publicFiles: number(row.publicFiles),
    running: number(row.running),
    pending: number(row.reserved) + number(row.parts) + number(row.announced) - number(row.stored),
  };
}

const quotaOf = (query: Query, accountId: string) =>
  query.selectFrom('accounts').select('quota_bytes').where('id', '=', accountId).executeTakeFirst();

/** The same, with the account held for the rest of the transaction, so that of two that ask at once the second sees the first. */
const lockedQuota = statement<{ accountId: string }>()((query, { accountId }) =>
  query
    .updateTable('accounts')
    .set((e) => ({ quota_bytes: e.ref('quota_bytes') }))
    .where('id', '=', accountId)
    .where('quota_bytes', 'is not', null)
    .returning('quota_bytes'),
);

/**
 * Uploads on their way count. @returns how many bytes may still come, these among them; `Infinity` without a quota.
 * @throws `STORAGE_FULL` when so many bytes more pass the account's quota.
 */
export async function assertQuota(query: Query, accountId: string, bytes: number): Promise<number> {
  const quota = (await lockedQuota.first(query, { accountId }))?.quota_bytes ?? null;
  if (quota === null) return Infinity;
  const { bytes: used, pending } = await sums(query, accountId);
  const left = quota - used - pending;
  if (bytes > left)
    throw new BlobError('STORAGE_FULL', `The storage quota of ${quota} bytes is used up.`, {
      details: { quota_bytes: quota, used_bytes: used, reserved_bytes: pending },
    });
  return left;
}

export async function usageOf(context: BlobsContext, accountId: string): Promise<UsageFacts> {
  const { db } = context.metadata;
  const { files, bytes, publicFiles, running } = await sums(db, accountId);
  return {
    files,
    bytes,
    publicFiles,
    quotaBytes: (await quotaOf(db, accountId))?.quota_bytes ?? null,
    uploadsInProgress: running,
  };
}
