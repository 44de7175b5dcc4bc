import { putObjectTagging } from '../s3/commands/put-object-tagging.js';
import { factsAt, unlessUntold } from '../list/head-object.js';
import type { Run } from './run.js';

/** Gives what came in parts its tags once more, where the store dropped them unheard (Ceph 16). The first of a store tells whether it does. */
export async function keepTags(run: Run, { bucket, key }: { bucket: string; key: string }, tags?: string): Promise<void> {
  const { store, signal } = run;
  if (tags === undefined) return;
  store.keepsTags ??= (await factsAt(run, bucket, key).catch(unlessUntold))?.tags !== 0;
  if (!store.keepsTags) await run.request(key, 0, () => putObjectTagging(store, { bucket, key, tags, signal }));
}
