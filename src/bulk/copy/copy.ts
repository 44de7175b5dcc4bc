import { S3Error } from '../errors.js';
import { OMIT_RECURSIVE, reportEmptyPrefix } from '../list/empty-prefix.js';
import { entryOfKey, objectsOfKeyList } from '../list/key-list.js';
import type { ListOptions } from '../list/key-list.js';
import { listAllObjects } from '../list/list-objects.js';
import { endStaleTransfers } from '../multipart/stale-transfers.js';
import { joinKey } from '../s3/object-keys.js';
import type { Store } from '../s3/object-store.js';
import { runTransfer } from '../transfer/run-transfer.js';
import type { RunOptions } from '../transfer/run-options.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { ObjectEntry, Place, Summary } from '../types.js';
import { copyEntry } from './copy-entry.js';
import type { CopySettings } from './copy-settings.js';
import { COPY_ELSEWHERE_FIRST, isSameBucket, requireDisjoint } from './disjoint-prefixes.js';

/** Options of `BulkTransfer.copy`. */
export interface CopyOptions extends RunOptions, ListOptions, CopySettings {
  /** Copies only objects for whose path, relative to the prefix, it returns true. @default all objects */
  filter?: (path: string) => boolean;
  /** Copies only these paths below the prefix. @default all objects */
  paths?: AsyncIterable<string> | Iterable<string>;
  /** Takes `from.prefix` and `to.prefix` as the keys of one object. @default false */
  exact?: boolean;
}

/**
 * Copies objects to other keys or buckets of the same store. The store moves the bytes.
 * @throws S3Error `InvalidOption` if the prefixes overlap
 */
export function copy(store: Store, from: Place, to: Place, options: CopyOptions): Promise<Summary> {
  return runTransfer(store, options, async (context) => {
    const targetKeyOf = targetKeys(store, from, to, options);
    let isEmpty = options.paths === undefined;
    const onFound = (): void => {
      isEmpty = false;
    };
    const entries =
      options.paths === undefined
        ? listSources(context, from, to, options, onFound)
        : objectsOfKeyList(context, 'copy', from.prefix, options.paths, options);
    const copyOne = async (entry: ObjectEntry): Promise<void> => {
      await copyEntry(context, from.bucket, entry, { bucket: to.bucket, key: targetKeyOf(entry.key) }, options);
    };
    await context.workers.forEach('copy', entries, ({ key }) => key, copyOne);
    await endStaleTransfers(context, to, options.exact ? {} : options);
    if (isEmpty) await reportEmptyPrefix(context, 'copy', from, OMIT_RECURSIVE);
  });
}

/**
 * Returns a function that maps the key of a source to the key of its copy. It throws `InvalidOption` if the copy would lie below
 * the prefix that is copied.
 * @throws S3Error `InvalidOption` if `to` lies below `from`
 */
function targetKeys(store: Store, from: Place, to: Place, { exact }: CopyOptions): (key: string) => string {
  if (exact) return () => to.prefix;
  const moves = from.prefix !== to.prefix;
  if (moves) requireDisjoint(store, from, to, to.prefix.startsWith(from.prefix));
  const mayReachSource = moves && isSameBucket(store, from.bucket, to.bucket);
  return (key) => {
    const target = joinKey(to.prefix, key.slice(from.prefix.length));
    // Copying a/s/ to a/ would copy a/s/s/x to a/s/x. That replaces a source, or is read as one.
    if (mayReachSource && target.startsWith(from.prefix))
      throw new S3Error(
        'InvalidOption',
        `${key} would be copied below ${from.prefix}, which is being copied. ${COPY_ELSEWHERE_FIRST}`,
      );
    return target;
  };
}

/** Yields the objects to copy and adds them to the plan. Calls `onFound` for each object, also for those that are left out. */
async function* listSources(
  context: TransferContext,
  from: Place,
  to: Place,
  { exact, filter }: CopyOptions,
  onFound: () => void,
): AsyncGenerator<ObjectEntry> {
  const entries = exact ? [await entryOfKey(context, from.bucket, from.prefix)] : listAllObjects(context, from);
  for await (const entry of entries) {
    onFound();
    const path = entry.key.slice(from.prefix.length);
    // The marker object of the source folder would get an empty key in the root of a bucket.
    const isFolderMarker = !exact && entry.size === 0 && to.prefix + path === '';
    if (isFolderMarker || filter?.(path) === false) continue;
    context.meter.addPlanned(entry.size);
    yield entry;
  }
  context.meter.finishPlan();
}
