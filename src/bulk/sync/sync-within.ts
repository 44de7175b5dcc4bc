import { copyEntry } from '../copy/copy-entry.js';
import { requireDisjoint } from '../copy/disjoint-prefixes.js';
import { deleteBatch } from '../delete/delete-objects.js';
import { rejectObjectAsPrefix } from '../list/empty-prefix.js';
import { mergeSorted } from '../list/merge-sorted.js';
import type { Pair } from '../list/merge-sorted.js';
import { endStaleTransfers } from '../multipart/stale-transfers.js';
import { joinKey } from '../s3/object-keys.js';
import type { Store } from '../s3/object-store.js';
import { runTransfer } from '../transfer/run-transfer.js';
import type { ObjectEntry, Place, Summary } from '../types.js';
import { isSameObject } from './compare.js';
import { deletePending } from './delete-pending.js';
import { PendingDeletes } from './pending-deletes.js';
import { countSourceItems, pathBelow, selectedObjects } from './sync-entries.js';
import type { SyncWithinOptions } from './sync-options.js';
import { validateSyncOptions } from './validate-sync-options.js';

/** Makes one prefix match another one of the same store. `isSameObject` decides which objects are copied. */
export function syncWithin(store: Store, from: Place, to: Place, options: SyncWithinOptions): Promise<Summary> {
  return runTransfer(store, options, async (context) => {
    validateSyncOptions(options, from, to);
    requireDisjoint(store, from, to, from.prefix.startsWith(to.prefix) || to.prefix.startsWith(from.prefix));
    const pending = new PendingDeletes<ObjectEntry>();
    const comparePrefixes = (): AsyncGenerator<Pair<ObjectEntry, ObjectEntry>> =>
      mergeSorted(
        selectedObjects(context, from, options),
        selectedObjects(context, to, options),
        (entry) => pathBelow(from, entry),
        (entry) => pathBelow(to, entry),
      );
    await context.workers.forEach(
      'copy',
      countSourceItems(context, comparePrefixes(), pending),
      ({ name }) => name || from.prefix,
      async ({ left: source, right: copy }) => {
        if (source === undefined) return options.delete ? pending.add(copy!) : undefined;
        if (copy !== undefined && (await isSameObject(context, { from, to }, source, copy, options.compare ?? 'times')))
          return context.report.skip('copy', source.key, source.size, 'same');
        const target = { bucket: to.bucket, key: joinKey(to.prefix, pathBelow(from, source)) };
        await copyEntry(context, from.bucket, source, target, options);
        return undefined;
      },
    );
    if (pending.isSourceEmpty) await rejectObjectAsPrefix(context, from);
    await deletePending(context, pending, options, {
      compareAgain: comparePrefixes,
      deleteBatch: (batch) => deleteBatch(context, to.bucket, batch),
    });
    await endStaleTransfers(context, to, options);
  });
}
