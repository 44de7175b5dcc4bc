import type { DerivedLimits, StorageContext } from '../context.js';
import { changeReferences } from '../files/blob-references.js';
import { segmentsOfDerived } from './derived-rows.js';

/** Rows of one transaction. */
const BATCH = 500;

/** Deletes derived files that were not used for the longest time, until the rest is within the limits. @returns the number of deleted rows. */
export async function evictDerived(context: StorageContext, limits: DerivedLimits, signal?: AbortSignal): Promise<number> {
  let deleted = 0;
  for (;;) {
    signal?.throwIfAborted();
    const sums = await context.metadata.db
      .selectFrom('derived_files')
      .select(({ fn }) => [fn.countAll().as('files'), fn.sum('size').as('bytes')])
      .executeTakeFirstOrThrow();
    const excess = { files: Number(sums.files) - limits.files, bytes: Number(sums.bytes ?? 0) - limits.bytes };
    if (excess.files <= 0 && excess.bytes <= 0) return deleted;
    const count = await evictOldest(context, excess);
    // Another replica may have deleted them at the same time.
    if (count === 0) return deleted;
    deleted += count;
  }
}

async function evictOldest(context: StorageContext, excess: DerivedLimits): Promise<number> {
  const oldest = await context.metadata.db
    .selectFrom('derived_files')
    .select(['id', 'size'])
    .orderBy('used_at')
    .limit(BATCH)
    .execute();
  const ids: string[] = [];
  let bytes = 0;
  for (const { id, size } of oldest) {
    if (ids.length >= excess.files && bytes >= excess.bytes) break;
    ids.push(id);
    bytes += size;
  }
  return context.metadata.write(
    async (query) => {
      const rows = await query.deleteFrom('derived_files').where('id', 'in', ids).returning(['blob_id', 'size']).execute();
      await changeReferences(context, query, { dropped: segmentsOfDerived(rows) });
      return rows.length;
    },
    { durable: false },
  );
}
