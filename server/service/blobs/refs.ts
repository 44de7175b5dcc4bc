import { sql } from 'kysely';
import type { Query } from '../metadata/metadata.js';
import { statement } from '../metadata/prepared.js';
import type { Segment } from './rows.js';
import type { BodyFacts } from './types.js';

/** Ids in one statement. */
const PAGE = 500;

const insertBlob = statement<{ id: string; size: number; sha256: string }>()((query, { id, size, sha256 }) =>
  query.insertInto('blobs').values({ id, size, sha256, refs: 1, freed_at: null }),
);

/** Notes a blob that one file or part refers to. */
export async function addBlob(query: Query, id: string, { size, sha256 }: Pick<BodyFacts, 'size' | 'sha256'>): Promise<void> {
  await insertBlob.run(query, { id, size, sha256 });
}

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
