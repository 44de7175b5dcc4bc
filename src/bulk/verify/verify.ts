import { S3Error } from '../errors.js';
import { reportEmptyPrefix } from '../list/empty-prefix.js';
import { listAllObjects } from '../list/list-objects.js';
import { callerSource, mergeSorted } from '../list/merge-sorted.js';
import type { Pair } from '../list/merge-sorted.js';
import { nameOf } from '../s3/object-keys.js';
import type { Store } from '../s3/object-store.js';
import type { RunOptions } from '../transfer/run-options.js';
import { runTransfer } from '../transfer/run-transfer.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { ObjectEntry, Place, SortedSource, SourceFile, Summary } from '../types.js';
import { hasSameBytes } from './same-bytes.js';

/** Options of `verify`. */
export interface VerifyOptions extends RunOptions {
  /** Returns whether a path, relative to the prefix, takes part. @default all paths */
  filter?: (path: string) => boolean;
}

type ComparedPair = Pair<SourceFile, ObjectEntry>;

/**
 * Compares every byte of a local tree with the objects under a prefix. Files that differ, and files that only one side has, are
 * reported as failed.
 */
export function verify(store: Store, source: SortedSource, place: Place, options: VerifyOptions): Promise<Summary> {
  return runTransfer(store, options, async (context) => {
    let isPrefixEmpty = true;
    const pairs = selectedPairs(context, source, place, options, () => (isPrefixEmpty = false));
    await context.workers.forEach(
      'verify',
      pairs,
      ({ name }) => name,
      (pair) => verifyPair(context, place, pair),
    );
    if (isPrefixEmpty) await reportEmptyPrefix(context, 'verify', place);
  });
}

/** @param onObject called for each object, whether it is selected or not */
async function* selectedPairs(
  context: TransferContext,
  source: SortedSource,
  place: Place,
  options: VerifyOptions,
  onObject: () => void,
): AsyncGenerator<ComparedPair> {
  const pathOf = (entry: ObjectEntry): string => entry.key.slice(place.prefix.length);
  for await (const pair of mergeSorted(callerSource(source), listAllObjects(context, place), nameOf, pathOf)) {
    if (pair.right !== undefined) onObject();
    // An unreadable file fails, whether it is selected or not.
    const isUnreadable = pair.left?.problem !== undefined;
    const isFolderMark = pair.name === '' && pair.right?.size === 0;
    if (isFolderMark || (!isUnreadable && options.filter?.(pair.name) === false)) continue;
    context.meter.addPlanned(pair.left?.size ?? 0);
    yield pair.name === '' ? { ...pair, name: place.prefix } : pair;
  }
  context.meter.finishPlan();
}

/** @throws S3Error `NotEqual` */
async function verifyPair(
  context: TransferContext,
  place: Place,
  { name, left: file, right: object, folder }: ComparedPair,
): Promise<void> {
  if (folder && object?.size === 0) return context.report.done('verify', name, 0);
  if (file === undefined) throw new S3Error('NotEqual', `${name} is missing in the local tree.`);
  if (file.problem !== undefined) throw file.problem;
  if (object === undefined) throw new S3Error('NotEqual', `${name} is missing in the store.`);
  if (file.size !== object.size)
    throw new S3Error('NotEqual', `${name} has ${file.size} bytes in the local tree and ${object.size} in the store.`);
  if (!file.directory && !(await hasSameBytes(context, place.bucket, file, object)))
    throw new S3Error('NotEqual', `${name} has other bytes in the store than in the local tree.`);
  return context.report.done('verify', name, object.size);
}
