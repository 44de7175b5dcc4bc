import { deleteBatch } from '../delete/delete-objects.js';
import { callerSource, mergeSorted } from '../list/merge-sorted.js';
import type { Pair } from '../list/merge-sorted.js';
import { endStaleTransfers } from '../multipart/stale-transfers.js';
import { joinKey, nameOf } from '../s3/object-keys.js';
import type { Store } from '../s3/object-store.js';
import { runTransfer } from '../transfer/run-transfer.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { ObjectEntry, Place, SortedSource, SourceFile, Summary } from '../types.js';
import { unrefTimer } from '../unref-timer.js';
import { survey, uploadSourceFile } from '../upload/upload.js';
import { isSameFile, pairFingerprint } from './compare.js';
import { deletePending } from './delete-pending.js';
import { PendingDeletes, skipLinkedPaths } from './pending-deletes.js';
import { countSourceItems, pathBelow, selectedObjects } from './sync-entries.js';
import type { SyncUpOptions } from './sync-options.js';
import { validateSyncOptions } from './validate-sync-options.js';

/** The survey starts after this time. A sync that finds no difference is over before, and a survey would slow it down. Milliseconds. */
const SURVEY_DELAY_MS = 1000;

/** Makes a prefix match a local tree. @throws S3Error as `runTransfer` */
export function syncUp(store: Store, source: SortedSource, to: Place, options: SyncUpOptions): Promise<Summary> {
  const settings = { properties: {}, ...options, bucket: to.bucket };
  return runTransfer(store, options, async (context) => {
    validateSyncOptions(options, to);
    startSurvey(context, options.survey);
    const pending = new PendingDeletes<ObjectEntry>();
    const comparePaths = (): AsyncGenerator<Pair<SourceFile, ObjectEntry>> => {
      const objects = selectedObjects(context, to, options);
      return skipLinkedPaths(mergeSorted(callerSource(source), objects, nameOf, (entry) => pathBelow(to, entry)));
    };
    await context.workers.forEach(
      'upload',
      countSourceItems(context, comparePaths(), pending),
      ({ name }) => name,
      async ({ left: file, right: object }) => {
        if (file === undefined) return options.delete ? pending.add(object!) : undefined;
        const key = joinKey(to.prefix, nameOf(file));
        const isSame =
          object !== undefined &&
          file.problem === undefined &&
          (await isSameFile(context, to.bucket, file, object, options.compare ?? 'times'));
        if (isSame) return context.report.skip('upload', key, object.size, 'same');
        const uploaded = await uploadSourceFile(context, file, key, settings, false);
        if (uploaded !== undefined) recordPair(context, file, key, uploaded);
        return undefined;
      },
    );
    await deletePending(context, pending, options, {
      compareAgain: comparePaths,
      deleteBatch: (batch) => deleteBatch(context, to.bucket, batch),
    });
    await endStaleTransfers(context, to, options);
  });
}

/** Records an uploaded file in the journal. The next sync then needs no HEAD request to learn its time. */
function recordPair(
  context: TransferContext,
  file: SourceFile,
  key: string,
  { size, mtimeNs, etag }: { size: number; mtimeNs?: bigint | undefined; etag: string },
): void {
  const uploaded: SourceFile = { ...file, size };
  if (mtimeNs !== undefined) uploaded.mtimeNs = mtimeNs;
  context.journal.complete(pairFingerprint(uploaded, { key, size, etag, lastModifiedMs: 0 }));
}

function startSurvey(context: TransferContext, source: Iterable<SourceFile> | undefined): void {
  if (source !== undefined) unrefTimer(() => void survey(context, source).catch(() => {}), SURVEY_DELAY_MS);
}
