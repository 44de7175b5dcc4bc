import { sql } from 'kysely';
import type { Query } from '../metadata/metadata.js';
import type { Segment } from './rows.js';

/** Ids in one statement. */
const PAGE = 500;

/** Counts one more file or part that refers to these blobs. */
export async function addRefs(query: Query, segments: readonly Segment[]): Promise<void> {
  for (const [id] of segments)
    await query
      .updateTable('blobs')
      .set((e) => ({ refs: e('refs', '+', 1), freed_at: null }))
      .where('id', '=', id)
      .execute();
}

/** Counts one less for every mention; whoever comes to none is left for the sweep. */
export async function dropRefs(query: Query, segments: readonly Segment[], now: number): Promise<void> {
  const mentions = new Map<string, number>();
  for (const [id] of segments) mentions.set(id, (mentions.get(id) ?? 0) + 1);
  for (const count of new Set(mentions.values())) {
    const ids = [...mentions].filter(([, one]) => one === count).map(([id]) => id);
    for (let at = 0; at < ids.length; at += PAGE)
      await query
        .updateTable('blobs')
        .set((e) => ({
          refs: e('refs', '-', count),
          freed_at: sql`case when refs <= ${count} then cast(${now} as bigint) else null end`,
        }))
        .where('id', 'in', ids.slice(at, at + PAGE))
        .execute();
  }
}
