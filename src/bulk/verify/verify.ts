import { S3Error } from '../errors.js';
import { nameOf } from '../s3/object-keys.js';
import type { Store } from '../s3/object-store.js';
import type { ObjectEntry, Place, Summary } from '../types.js';
import { sameBytes } from '../sync/compare.js';
import { listAll } from '../list/list.js';
import { merge, treeOf } from '../sync/merge.js';
import { nothingBelow } from '../list/empty-prefix.js';
import { withRun } from '../transfer/run.js';
import type { RunOptions } from '../transfer/run.js';
import type { SortedSource } from '../sync/sync.js';

export interface VerifyOptions extends RunOptions {
  /** Only paths for which it says true. */
  filter?: (path: string) => boolean;
}

/** Compares every byte of a local tree with the objects under a prefix, both ways: what differs or is missing has failed. */
export function verify(store: Store, source: SortedSource, place: Place, options: VerifyOptions): Promise<Summary> {
  return withRun(store, options, async (run) => {
    const pathOf = (entry: ObjectEntry): string => entry.key.slice(place.prefix.length);
    const pairs = merge(treeOf(source), listAll(run, place), nameOf, pathOf);
    let empty = true;
    const wanted = async function* () {
      for await (const pair of pairs) {
        if (pair.right !== undefined) empty = false;
        const unread = pair.left?.problem !== undefined;
        const isMark = pair.name === '' && pair.right?.size === 0;
        if (isMark || (!unread && options.filter?.(pair.name) === false)) continue;
        run.meter.plan(pair.left?.size ?? 0);
        yield pair.name === '' ? { ...pair, name: place.prefix } : pair;
      }
      run.meter.planned();
    };
    await run.pump(
      'verify',
      wanted(),
      ({ name }) => name,
      async ({ name, left, right, folder }) => {
        if (folder && right?.size === 0) return run.done('verify', name, 0);
        if (left === undefined) throw new S3Error('NotEqual', `${name} is in the store only.`);
        if (left.problem !== undefined) throw left.problem;
        if (right === undefined) throw new S3Error('NotEqual', `${name} is missing in the store.`);
        if (left.size !== right.size)
          throw new S3Error('NotEqual', `${name} has ${left.size} bytes here and ${right.size} in the store.`);
        if (!left.directory && !(await sameBytes(run, place.bucket, left, right)))
          throw new S3Error('NotEqual', `${name} has other bytes in the store.`);
        return run.done('verify', name, right.size);
      },
    );
    if (empty) await nothingBelow(run, 'verify', place);
  });
}
