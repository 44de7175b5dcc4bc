import { sql } from 'kysely';
import type { Query } from '../../drivers/metadata/metadata.js';
import { preparedQuery } from '../../drivers/metadata/prepared-queries/prepared-query.js';
import { yieldToEventLoop } from '../../runtime/yield-to-event-loop.js';
import type { StorageContext } from '../context.js';
import { uploadAbandoned } from '../uploads/reservation.js';
import type { Segment } from './file-rows.js';
import type { BodySummary } from '../types.js';

/** Ids in one statement, at most. */
const PAGE = 500;

const insertBlob = preparedQuery<{ id: string; size: number; sha256: string }>()((query, { id, size, sha256 }) =>
  query
    .insertInto('blobs')
    .values({ id, size, sha256, refs: 1, freed_at: null })
    .onConflict((conflict) => conflict.column('id').doNothing()),
);

/** Inserts a blob with one reference. @throws `SERVICE_UNAVAILABLE` if a sweep considered this process dead and freed the blob. */
export async function recordBlob(
  query: Query,
  id: string,
  { size, sha256 }: Pick<BodySummary, 'size' | 'sha256'>,
): Promise<void> {
  if ((await insertBlob.run(query, { id, size, sha256 })) === 0) throw uploadAbandoned();
}

/** @returns whether a file or part refers to the blob. */
export async function isReferenced(query: Query, id: string): Promise<boolean> {
  const row = await query.selectFrom('blobs').select('refs').where('id', '=', id).executeTakeFirst();
  return row !== undefined && row.refs > 0;
}

export interface ReferenceChanges {
  /** Blobs that gain a reference; one for each mention. */
  added?: readonly Segment[];
  /** Blobs that lose a reference. */
  dropped?: readonly Segment[];
}

/**
 * Changes the reference counts of blobs. The sweep deletes a blob without references. Call it once in a transaction, because it takes its
 * locks in the order of the ids, or call `lockBlobs` before.
 */
export async function changeReferences(
  context: StorageContext,
  query: Query,
  { added = [], dropped = [] }: ReferenceChanges,
): Promise<void> {
  const { metadata } = context;
  const changes = new Map<string, number>();
  for (const [id] of added) changes.set(id, (changes.get(id) ?? 0) + 1);
  for (const [id] of dropped) changes.set(id, (changes.get(id) ?? 0) - 1);
  const ids = [...changes.keys()].filter((id) => changes.get(id) !== 0).toSorted();
  // A file may have thousands of blobs. On SQLite the queries run in this thread, so pauses let requests continue.
  const pause = yieldToEventLoop();
  // An update locks rows in any order, so they are locked by id first.
  if (ids.length > 1) await lockBlobs(context, query, ids);
  for (const change of new Set(ids.map((id) => changes.get(id)!)))
    for (const page of pagesOf(ids.filter((id) => changes.get(id) === change))) {
      await pause();
      await query
        .updateTable('blobs')
        .set((e) => ({
          refs: e('refs', '+', change),
          freed_at: sql`case when refs + ${change} <= 0 then ${metadata.clock} else null end`,
        }))
        .where('id', 'in', page)
        .execute();
    }
}

/** Locks blobs in the order of their ids, before several calls of `changeReferences` in one transaction. */
export async function lockBlobs({ metadata }: StorageContext, query: Query, ids: readonly string[]): Promise<void> {
  // SQLite runs one transaction at a time.
  if (metadata.dialect === 'sqlite') return;
  for (const page of pagesOf([...new Set(ids)].toSorted()))
    await metadata
      .forUpdate(query.selectFrom('blobs').select('id').where('id', 'in', page).orderBy(metadata.bytewise('id')))
      .execute();
}

const pagesOf = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / PAGE) }, (_, page) => ids.slice(page * PAGE, (page + 1) * PAGE));
