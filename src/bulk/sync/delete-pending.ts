import type { S3Error } from '../errors.js';
import type { Pair } from '../list/merge-sorted.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import { PendingDeletes } from './pending-deletes.js';
import type { SyncOptions } from './sync-options.js';

/** Options for the deletions at the end of a sync. */
interface DeleteSteps<Left, Right> {
  /** Compares both sides again, to find the items beyond `PENDING_MAX`. */
  compareAgain(): AsyncIterable<Pair<Left, Right>>;
  deleteBatch(batch: Right[]): Promise<void>;
  /** Returns whether an item that only the target has may be deleted. @default all items */
  mayDelete?(item: Right): boolean;
  /** Reason why nothing may be deleted. @default what `PendingDeletes.problem` returns */
  problem?: S3Error | undefined;
}

/** Deletes what only the target has, after everything else is done. */
export async function deletePending<Left, Right>(
  context: TransferContext,
  found: PendingDeletes<Right>,
  options: SyncOptions,
  steps: DeleteSteps<Left, Right>,
): Promise<void> {
  const { report } = context;
  const problem = steps.problem ?? found.findProblem(context, options);
  if (problem !== undefined) return report.fail('delete', '(everything that would be deleted)', problem);
  for (let pending = found; ;) {
    const deleted = await deleteHeld(context, pending, steps.deleteBatch);
    // Without progress another comparison would find the same items again.
    if (!pending.isTruncated || deleted === 0) return undefined;
    const remaining = await findRemaining(context, steps);
    const changed = remaining.changedSince(pending, deleted);
    if (changed !== undefined) return report.fail('delete', '(everything else that would be deleted)', changed);
    pending = remaining;
  }
}

/** @returns the number of deleted items */
async function deleteHeld<Item>(
  context: TransferContext,
  pending: PendingDeletes<Item>,
  deleteBatch: (batch: Item[]) => Promise<void>,
): Promise<number> {
  const { meter, report, workers } = context;
  const deletedBefore = report.summary.deleted;
  // All items are planned before the first is deleted. If the transfer is stopped, the summary counts the remaining ones.
  for (const batch of pending.batches()) for (const _ of batch) meter.addPlanned(0);
  await workers.forEach('delete', pending.batches(), () => 'a batch of deletions', deleteBatch);
  return report.summary.deleted - deletedBefore;
}

async function findRemaining<Left, Right>(
  context: TransferContext,
  { compareAgain, mayDelete }: DeleteSteps<Left, Right>,
): Promise<PendingDeletes<Right>> {
  const remaining = new PendingDeletes<Right>(context.dryRun ? context.report.summary.deleted : 0);
  for await (const { left, right } of compareAgain()) {
    if (left === undefined) {
      if (mayDelete?.(right!) !== false) remaining.add(right!);
    } else if ((left as { problem?: S3Error }).problem === undefined) remaining.sourceItems++;
  }
  return remaining;
}
