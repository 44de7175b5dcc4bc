import { sortedMembership } from '../list/key-list.js';
import { listAllObjects } from '../list/list-objects.js';
import { orderedName } from '../list/merge-sorted.js';
import type { Pair } from '../list/merge-sorted.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { ObjectEntry, Place } from '../types.js';
import type { PendingDeletes } from './pending-deletes.js';
import type { SyncOptions } from './sync-options.js';

/** Returns the path of an object below the prefix of a place. */
export const pathBelow = ({ prefix }: Place, { key }: ObjectEntry): string => key.slice(prefix.length);

/** Yields the objects of a place that take part in a sync. @throws S3Error `ListingBroken` */
export async function* selectedObjects(
  context: TransferContext,
  place: Place,
  options: SyncOptions,
): AsyncGenerator<ObjectEntry> {
  const isInPaths = options.paths && sortedMembership(options.paths());
  // Throws if the listing is not sorted. An object that comes too late for the key list would look deleted.
  const pathOf = orderedName((entry: ObjectEntry) => pathBelow(place, entry));
  for await (const value of listAllObjects(context, place)) {
    const path = pathOf({ value })!;
    // An empty object marks the synced folder itself. An object with bytes is a file.
    const isFolderMark = path === '' && value.size === 0;
    if (isFolderMark || isInPaths?.(path) === false || options.filter?.(path) === false) continue;
    yield value;
  }
}

/** Passes the pairs on and counts the items of the source, for the progress and for the checks before a deletion. */
export async function* countSourceItems<Left extends { size?: number | null }, Right>(
  context: TransferContext,
  pairs: AsyncIterable<Pair<Left, Right>>,
  pending: PendingDeletes<Right>,
): AsyncGenerator<Pair<Left, Right>> {
  for await (const pair of pairs) {
    // Items that only the target has are planned when they are deleted.
    if (pair.left !== undefined) {
      context.meter.addPlanned(pair.left.size ?? 0);
      pending.countSourceItem(pair.name, pair.left.size);
    }
    yield pair;
  }
  context.meter.finishPlan();
}
