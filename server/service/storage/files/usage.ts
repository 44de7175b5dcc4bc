import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { BlobError } from '../../../../src/protocol/errors.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import { preparedQuery } from '../../drivers/metadata/prepared-queries/prepared-query.js';
import { PLANS } from '../../identity/plans.js';
import type { UsageTable } from '../../drivers/metadata/tables.js';
import type { StorageContext } from '../context.js';
import type { StorageUsage } from '../types.js';

/** Rows of the sums of one account, so that parallel writers do not wait for one row. */
const SLOTS = 16;

const addToSums = preparedQuery<UsageTable>()((query, { account_id, slot, files, bytes, public_files }) =>
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

/** The slot of each transaction. Two slots in one transaction could deadlock with another transaction. */
const slots = new WeakMap<Query, number>();

function slotOf(query: Query): number {
  const slot = slots.get(query) ?? Math.floor(Math.random() * SLOTS);
  slots.set(query, slot);
  return slot;
}

/** Adds to the sums of an account. */
export async function addUsage(
  query: Query,
  accountId: string,
  change: { files: number; bytes: number; publicFiles: number },
): Promise<void> {
  await addToSums.run(query, {
    account_id: accountId,
    slot: slotOf(query),
    files: change.files,
    bytes: change.bytes,
    public_files: change.publicFiles,
  });
}

/**
 * Reads the sums in one statement, which sees one snapshot. A commit moves bytes from `reservations` to `usage`; two statements could miss
 * them in both.
 */
export async function readSums(query: Query, accountId: string) {
  const row = await query
    .selectNoFrom((e) => {
      const usage = e.selectFrom('usage').where('account_id', '=', accountId);
      const running = e.selectFrom('reservations').where('account_id', '=', accountId);
      return [
        usage.select(({ fn }) => fn.sum('files').as('sum')).as('files'),
        usage.select(({ fn }) => fn.sum('bytes').as('sum')).as('bytes'),
        usage.select(({ fn }) => fn.sum('public_files').as('sum')).as('publicFiles'),
        running.select(({ fn }) => fn.sum('bytes').as('sum')).as('reserved'),
        e
          .selectFrom('uploads')
          .where('account_id', '=', accountId)
          .select(({ fn }) => fn.sum('bytes').as('sum'))
          .as('parts'),
      ];
    })
    .executeTakeFirstOrThrow();
  const toNumber = (sum: number | string | bigint | null) => Number(sum ?? 0);
  return {
    files: toNumber(row.files),
    bytes: toNumber(row.bytes),
    publicFiles: toNumber(row.publicFiles),
    pending: toNumber(row.reserved) + toNumber(row.parts),
  };
}

/** Counts bodies that are being received, and uploads in parts that are unfinished. */
async function countRunning(query: Query, accountId: string): Promise<number> {
  const { bodies, uploads } = await query
    .selectNoFrom((e) => [
      e
        .selectFrom('reservations')
        .where('account_id', '=', accountId)
        .where('part_of', 'is', null)
        .select(({ fn }) => fn.countAll().as('count'))
        .as('bodies'),
      e
        .selectFrom('uploads')
        .where('account_id', '=', accountId)
        .select(({ fn }) => fn.countAll().as('count'))
        .as('uploads'),
    ])
    .executeTakeFirstOrThrow();
  return Number(bodies) + Number(uploads);
}

/** The quota of an account, or else the storage of its plan. Accounts without a user have no plan that limits storage. */
function quotaBytes(): RawBuilder<number | null> {
  const limited = PLANS.filter(({ storageBytes }) => storageBytes !== null);
  if (limited.length === 0) return sql`accounts.quota_bytes`;
  const cases = limited.map(({ id, storageBytes }) => sql`when ${sql.lit(id)} then ${sql.lit(storageBytes)}`);
  return sql`coalesce(accounts.quota_bytes, (select case users.plan_id ${sql.join(cases, sql` `)} end from users
    where users.account_id = accounts.id))`;
}

const quotaOf = preparedQuery<{ accountId: string }>()((query, { accountId }) =>
  query.selectFrom('accounts').select(quotaBytes().as('quota_bytes')).where('id', '=', accountId),
);

const lockedQuota = preparedQuery<{ accountId: string }>()((query, { accountId }, { forUpdate }) =>
  forUpdate(
    query
      .selectFrom('accounts')
      .select(quotaBytes().as('quota_bytes'))
      .where('id', '=', accountId)
      .where(quotaBytes(), 'is not', null),
  ),
);

/**
 * Reads the quota of an account and locks the account for the rest of the transaction, so that parallel uploads cannot exceed the quota together.
 * @returns null, without a lock, if the account has no quota.
 */
export const lockQuota = async (query: Query, accountId: string): Promise<number | null> =>
  (await lockedQuota.first(query, { accountId }))?.quota_bytes ?? null;

/**
 * Checks that more bytes fit into the quota of an account. Reserved bytes of running uploads count.
 * @returns the free bytes, including these; `Infinity` without a quota. @throws `STORAGE_FULL`.
 */
export const assertQuota = async (query: Query, accountId: string, bytes: number): Promise<number> =>
  assertFitsQuota(query, accountId, await lockQuota(query, accountId), bytes);

/** Checks the same with a quota that is already locked. */
export async function assertFitsQuota(query: Query, accountId: string, quota: number | null, bytes: number): Promise<number> {
  if (quota === null) return Infinity;
  const { bytes: used, pending } = await readSums(query, accountId);
  const free = quota - used - pending;
  if (bytes > free)
    throw new BlobError('STORAGE_FULL', `The upload does not fit into the storage quota of ${quota} bytes.`, {
      details: { quota_bytes: quota, used_bytes: used, reserved_bytes: pending },
    });
  return free;
}

/** Reads what an account stores. */
export async function readUsage(context: StorageContext, accountId: string): Promise<StorageUsage> {
  const { db } = context.metadata;
  const { files, bytes, publicFiles } = await readSums(db, accountId);
  return {
    files,
    bytes,
    publicFiles,
    quotaBytes: (await quotaOf.first(db, { accountId }))?.quota_bytes ?? null,
    uploadsInProgress: await countRunning(db, accountId),
  };
}
