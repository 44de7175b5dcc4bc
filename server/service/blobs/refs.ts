import { sql } from 'kysely';
import type { Query } from '../metadata/metadata.js';
import type { Segment } from './rows.js';

/** Counts one more file or part that refers to these blobs. */
export async function addRefs(query: Query, segments: readonly Segment[]): Promise<void> {
  for (const [id] of segments)
    await query
      .updateTable('blobs')
      .set((e) => ({ refs: e('refs', '+', 1), freed_at: null }))
      .where('id', '=', id)
      .execute();
}

/** Counts one less; whoever comes to none is left for the sweep. */
export async function dropRefs(query: Query, segments: readonly Segment[], now: number): Promise<void> {
  for (const [id] of segments)
    await query
      .updateTable('blobs')
      .set((e) => ({ refs: e('refs', '-', 1), freed_at: sql`case when refs <= 1 then cast(${now} as bigint) else null end` }))
      .where('id', '=', id)
      .execute();
}
