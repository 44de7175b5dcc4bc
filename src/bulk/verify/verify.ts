import { hasSameBytes } from './same-bytes.js';
import type { SortedSource } from '../types.js';
import { runTransfer } from '../transfer/run-transfer.js';
import type { RunOptions } from '../transfer/run-options.js';
import { S3Error } from '../errors.js';
import { nameOf } from '../s3/object-keys.js';
import type { Store } from '../s3/object-store.js';
import type { ObjectEntry, Place, Summary } from '../types.js';
import { listAllObjects } from '../list/list-objects.js';
import { mergeSorted, callerSource } from '../list/merge-sorted.js';
import { reportEmptyPrefix } from '../list/empty-prefix.js';

export interface VerifyOptions extends RunOptions {
  /** Only paths for which it says true. */
  filter?: (path: string) => boolean;
}

/** Compares every byte of a local tree with the objects under a prefix, both ways: what differs or is missing has failed. */
export function verify(store: Store, source: SortedSource, place: Place, options: VerifyOptions): Promise<Summary> {
  return runTransfer(store, options, async (context) => {
    const pathOf = (entry: ObjectEntry): string => entry.key.slice(place.prefix.length);
    const pairs = mergeSorted(callerSource(source), listAllObjects(context, place), nameOf, pathOf);
    let empty = true;
    const wanted = async function* () {
      for await (const pair of pairs) {
        if (pair.right !== undefined) empty = false;
        const unread = pair.left?.problem !== undefined;
        const isMark = pair.name === '' && pair.right?.size === 0;
        if (isMark || (!unread && options.filter?.(pair.name) === false)) continue;
        context.meter.addPlanned(pair.left?.size ?? 0);
        yield pair.name === '' ? { ...pair, name: place.prefix } : pair;
      }
      context.meter.finishPlan();
    };
    await context.workers.forEach(
      'verify',
      wanted(),
      ({ name }) => name,
      async ({ name, left, right, folder }) => {
        if (folder && right?.size === 0) return context.report.done('verify', name, 0);
        if (left === undefined) throw new S3Error('NotEqual', `${name} is in the store only.`);
        if (left.problem !== undefined) throw left.problem;
        if (right === undefined) throw new S3Error('NotEqual', `${name} is missing in the store.`);
        if (left.size !== right.size)
          throw new S3Error('NotEqual', `${name} has ${left.size} bytes here and ${right.size} in the store.`);
        if (!left.directory && !(await hasSameBytes(context, place.bucket, left, right)))
          throw new S3Error('NotEqual', `${name} has other bytes in the store.`);
        return context.report.done('verify', name, right.size);
      },
    );
    if (empty) await reportEmptyPrefix(context, 'verify', place);
  });
}
