import { sql } from 'kysely';
import { BlobError } from '../../../../src/protocol/errors.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import { preparedQuery } from '../../drivers/metadata/prepared-queries/prepared-query.js';
import type { UsageTable } from '../../drivers/metadata/tables.js';
import type { StorageContext } from '../context.js';
import type { StorageUsage } from '../types.js';

const SLOTS = 16;

const add = preparedQuery<UsageTable>()((query, { account_id, slot, files, bytes, public_files }) =>
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

/** A transaction keeps to one slot, whatever it adds: two in no order could wait for one another. */
const slots = new WeakMap<Query, number>();

function slotOf(query: Query): number {
  const slot = slots.get(query) ?? Math.floor(Math.random() * SLOTS);
  slots.set(query, slot);
  return slot;
}

/** Adds to an account's running sums. */
export async function addUsage(
  query: Query,
  accountId: string,
  change: { files: number; bytes: number; publicFiles: number },
): Promise<void> {
  await add.run(query, {
    account_id: accountId,
    slot: slotOf(query),
    files: change.files,
    bytes: change.bytes,
    public_files: change.publicFiles,
  });
}

/**
 * One statement and so one snapshot: a commit moves bytes from `reservations` to `usage`, and between two statements it would count in
 * neither.
 */
async function readSums(query: Query, accountId: string) {
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
  const number = (sum: number | string | bigint | null) => Number(sum ?? 0);
  return {
    files: number(row.files),
    bytes: number(row.bytes),
    publicFiles: number(row.publicFiles),
    pending: number(row.reserved) + number(row.parts),
  };
}

/** Bodies on their way, and uploads of several steps from their start to their end, with or without a part on its way. */
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

const quotaOf = (query: Query, accountId: string) =>
  query.selectFrom('accounts').select('quota_bytes').where('id', '=', accountId).executeTakeFirst();

const lockedQuota = preparedQuery<{ accountId: string }>()((query, { accountId }, { forUpdate }) =>
  forUpdate(query.selectFrom('accounts').select('quota_bytes').where('id', '=', accountId).where('quota_bytes', 'is not', null)),
);

/**
 * An account's quota, null: none. An account that has one is held for the rest of the transaction, so that of two that ask at once the second
 * sees the first.
 */
export const lockQuota = async (query: Query, accountId: string): Promise<number | null> =>
  (await lockedQuota.first(query, { accountId }))?.quota_bytes ?? null;

/**
 * Uploads on their way count. @returns how many bytes may still come, these among them; `Infinity` without a quota.
 * @throws `STORAGE_FULL` when so many bytes more pass the account's quota.
 */
export const assertQuota = async (query: Query, accountId: string, bytes: number): Promise<number> =>
  assertFitsQuota(query, accountId, await lockQuota(query, accountId), bytes);

/** The same under a quota that is locked. */
export async function assertFitsQuota(query: Query, accountId: string, quota: number | null, bytes: number): Promise<number> {
  if (quota === null) return Infinity;
  const { bytes: used, pending } = await readSums(query, accountId);
  const left = quota - used - pending;
  if (bytes > left)
    throw new BlobError('STORAGE_FULL', `The storage quota of ${quota} bytes is used up.`, {
      details: { quota_bytes: quota, used_bytes: used, reserved_bytes: pending },
    });
  return left;
}

export async function readUsage(context: StorageContext, accountId: string): Promise<StorageUsage> {
  const { db } = context.metadata;
  const { files, bytes, publicFiles } = await readSums(db, accountId);
  return {
    files,
    bytes,
    publicFiles,
    quotaBytes: (await quotaOf(db, accountId))?.quota_bytes ?? null,
    uploadsInProgress: await countRunning(db, accountId),
  };
}
