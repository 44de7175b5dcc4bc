import type { SyncOptions } from './sync-options.js';
import type { SortedSource } from '../types.js';
import type { DownloadSettings } from '../download/download-settings.js';
import { endStaleTransfers } from '../multipart/stale-transfers.js';
import type { UploadSettings } from '../upload/upload-settings.js';
import { validateSyncOptions } from './validate-sync-options.js';
import { runTransfer } from '../transfer/run-transfer.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import { S3Error, toS3Error } from '../errors.js';
import { joinKey, localPath, nameOf } from '../s3/object-keys.js';
import type { Store } from '../s3/object-store.js';
import type { ObjectEntry, Place, SourceFile, Summary, Target } from '../types.js';
import { isSameFile, pairFingerprint, isSameObject } from './compare.js';
import { copyEntry } from '../copy/copy-entry.js';
import type { CopySettings } from '../copy/copy-settings.js';
import { requireDisjoint } from '../copy/disjoint-prefixes.js';
import { discardStaleDownloads } from '../download/download.js';
import { downloadObject, skipExisting } from '../download/download-object.js';
import type { SaveSettings } from '../download/download-object.js';
import { PendingDeletes, skipLinkedPaths } from './pending-deletes.js';
import { listAllObjects } from '../list/list-objects.js';
import { parentFolders, ENTRIES_MAX, TypeConflicts } from './type-conflicts.js';
import { orderedName, mergeSorted, callerSource } from '../list/merge-sorted.js';
import type { Pair } from '../list/merge-sorted.js';
import { sortedMembership } from '../list/key-list.js';
import { rejectObjectAsPrefix } from '../list/empty-prefix.js';
import { deleteBatch } from '../delete/delete-objects.js';
import { unrefTimer } from '../unref-timer.js';
import { survey, uploadSourceFile } from '../upload/upload.js';
import type { UploadOptions } from '../upload/upload.js';

/** Makes a prefix hold what a local tree holds. */
export function syncUp(
  store: Store,
  source: SortedSource,
  to: Place,
  options: SyncOptions & Partial<Omit<UploadSettings, 'bucket'>> & Pick<UploadOptions, 'survey'>,
): Promise<Summary> {
  const settings = { properties: {}, ...options, bucket: to.bucket };
  return runTransfer(store, options, async (context) => {
    validateSyncOptions(options, to);
    surveyLater(context, options.survey);
    const pending = new PendingDeletes<ObjectEntry>();
    const pairs = (): AsyncGenerator<Pair<SourceFile, ObjectEntry>> =>
      skipLinkedPaths(
        mergeSorted(callerSource(source), wanted(listAllObjects(context, to), to.prefix, options), nameOf, (entry) =>
          entry.key.slice(to.prefix.length),
        ),
      );
    await context.workers.forEach(
      'upload',
      planned(context, pairs(), pending),
      ({ name }) => name,
      async ({ left, right }) => {
        if (left === undefined) return options.delete ? pending.add(right!) : undefined;
        const key = joinKey(to.prefix, nameOf(left));
        if (
          right !== undefined &&
          left.problem === undefined &&
          (await isSameFile(context, to.bucket, left, right, options.compare ?? 'times'))
        )
          return context.report.skip('upload', key, right.size, 'same');
        const made = await uploadSourceFile(context, left, key, settings, false);
        // The next run finds the object with this ETag, and need not ask for its time.
        if (made !== undefined)
          context.journal.complete(
            pairFingerprint(
              { ...left, size: made.size, ...(made.mtimeNs !== undefined && { mtimeNs: made.mtimeNs }) },
              { ...EMPTY, key, etag: made.etag },
            ),
          );
        return undefined;
      },
    );
    await deletePending(context, pending, pairs, (batch) => deleteBatch(context, to.bucket, batch), options);
    await endStaleTransfers(context, to, options);
  });
}

const EMPTY: ObjectEntry = { key: '', size: 0, etag: '', lastModifiedMs: 0 };

/** Sooner nothing is said of what is left. Milliseconds. */
const SURVEY_AFTER = 1000;

/** A sync that finds nothing to do is over before, and would take half as long again. */
function surveyLater(context: TransferContext, source: Iterable<SourceFile> | undefined): void {
  if (source !== undefined) unrefTimer(() => void survey(context, source).catch(() => {}), SURVEY_AFTER);
}

/** An empty directory that was never an object is nobody's loss and nobody's business; what a link leads to is another's. */
const isOurs = (file: SourceFile): boolean => file.problem === undefined && !file.directory && !file.linked;

/** Makes a local tree hold what a prefix holds. */
export function syncDown(
  store: Store,
  from: Place,
  target: Target,
  existing: SortedSource,
  options: SyncOptions & Partial<Omit<DownloadSettings, 'bucket' | 'target'>>,
): Promise<Summary> {
  const settings = { ...options, bucket: from.bucket, target };
  return runTransfer(store, options, async (context) => {
    validateSyncOptions(options, from);
    const pending = new PendingDeletes<SourceFile>();
    const conflicts = new TypeConflicts(target, options.delete === true);
    /** Directories that the source has as objects of their own, which stay when nothing is in them. */
    const marked = new Set<string>();
    // A later run deletes leftover files of this run when its journal has nothing to resume.
    const goesOn = context.journal.unfinished.size > 0;
    const mayGo = (file: SourceFile): boolean => isOurs(file) && !(file.leftOver && goesOn);
    const pairs = (): AsyncGenerator<Pair<ObjectEntry, SourceFile>> =>
      mergeSorted(
        wanted(listAllObjects(context, from), from.prefix, options),
        callerSource(existing),
        (entry) => entry.key.slice(from.prefix.length),
        nameOf,
      );
    const fetch = async (entry: ObjectEntry, how: SaveSettings = settings): Promise<void> => {
      const made = await downloadObject(context, entry, from.prefix, how, false);
      if (made !== undefined)
        context.journal.complete(
          pairFingerprint({ path: '', size: made.size, mtimeNs: made.mtimeNs }, { ...entry, etag: made.etag }),
        );
    };
    await context.workers.forEach(
      'download',
      planned(context, pairs(), pending),
      ({ name }) => name || from.prefix,
      async ({ name, left, right: there, folder }) => {
        if (left !== undefined && name.endsWith('/') && marked.size < ENTRIES_MAX) marked.add(name);
        if (left === undefined) {
          if (!mayGo(there!)) return undefined;
          if (!options.delete) return there!.leftOver && context.report.emit({ type: 'leftover', name, size: there!.size ?? 0 });
          conflicts.addDeletable(there!);
          return pending.add(there!);
        }
        const right = there?.leftOver ? undefined : there;
        if (right === undefined) {
          // Asked of a folder as well: where its name is a file's, too, what it holds is not to go for that.
          if (await conflicts.defers(left, name)) return undefined;
          if (folder && left.size === 0) return context.report.skip('download', left.key, 0, 'same');
        } else if (
          right.problem === undefined &&
          (await isSameFile(context, from.bucket, right, left, options.compare ?? 'times', true))
        )
          return skipExisting(context, target, left, name, 'same');
        return fetch(left);
      },
    );
    if (pending.sourceEmpty) await rejectObjectAsPrefix(context, from);
    const remove = async (batch: SourceFile[]): Promise<void> => {
      for (const file of batch) {
        const place = localPath(nameOf(file));
        if ('problem' in place) continue;
        try {
          if (!context.dryRun) await target.remove(place.path);
          context.report.done('delete', file.path, file.size ?? 0);
        } catch (error) {
          context.report.fail('delete', file.path, toS3Error(error));
        }
      }
    };
    /** Directories go with the last file in them, or the next sync up would make objects of them. */
    const removeEmptied = async (batch: SourceFile[]): Promise<void> => {
      if (context.dryRun || options.paths !== undefined || marked.size >= ENTRIES_MAX) return;
      const folders = new Set(batch.flatMap(({ path }) => [...parentFolders(path)]));
      for (const folder of [...folders].toSorted().toReversed())
        try {
          if (!marked.has(`${folder}/`) && (await target.isFolder?.(folder))) await target.remove(folder);
        } catch {
          // It holds more.
        }
    };
    const problem = pending.problem(context, options);
    // Conflicting items are deleted first. If not everything could be copied, nothing is deleted.
    for (const { key } of conflicts.resolveCaseConflicts(problem === undefined))
      context.report.fail(
        'download',
        key,
        new S3Error('NameTaken', `${key}: a file stands there whose name differs in capitals alone.`),
      );
    if (problem === undefined) await remove(conflicts.filesToDelete());
    for (const folder of conflicts.foldersToClear())
      try {
        await conflicts.clearFolder(folder, problem === undefined, context.dryRun);
        for (const { path, size } of folder.files) context.report.done('delete', path, size ?? 0);
      } catch (error) {
        context.report.fail('download', folder.entry.key, toS3Error(error));
      }
    await context.workers.forEach(
      'download',
      conflicts.deferred,
      ({ key }) => key,
      (entry) => fetch(entry, { ...settings, cleared: problem === undefined }),
    );
    const others = async (batch: SourceFile[]): Promise<void> => {
      await remove(batch.filter((file) => !conflicts.isDeletedFirst(file)));
      await removeEmptied(batch);
    };
    await deletePending(context, pending, pairs, others, options, mayGo, problem);
    await discardStaleDownloads(context, from, target, options);
  });
}

/** Makes one prefix hold what another holds. When objects are the same, see `isSameObject`. */
export function syncWithin(store: Store, from: Place, to: Place, options: SyncOptions & CopySettings): Promise<Summary> {
  return runTransfer(store, options, async (context) => {
    validateSyncOptions(options, from, to);
    requireDisjoint(store, from, to, from.prefix.startsWith(to.prefix) || to.prefix.startsWith(from.prefix));
    const pending = new PendingDeletes<ObjectEntry>();
    const side = (place: Place): AsyncGenerator<ObjectEntry> => wanted(listAllObjects(context, place), place.prefix, options);
    const name =
      (place: Place) =>
      (entry: ObjectEntry): string =>
        entry.key.slice(place.prefix.length);
    const pairs = (): AsyncGenerator<Pair<ObjectEntry, ObjectEntry>> => mergeSorted(side(from), side(to), name(from), name(to));
    await context.workers.forEach(
      'copy',
      planned(context, pairs(), pending),
      ({ name: one }) => one || from.prefix,
      async ({ left, right }) => {
        if (left === undefined) return options.delete ? pending.add(right!) : undefined;
        if (right !== undefined && (await isSameObject(context, { from, to }, left, right, options.compare ?? 'times')))
          return context.report.skip('copy', left.key, left.size, 'same');
        const target = { bucket: to.bucket, key: joinKey(to.prefix, name(from)(left)) };
        await copyEntry(context, from.bucket, left, target, options);
        return undefined;
      },
    );
    if (pending.sourceEmpty) await rejectObjectAsPrefix(context, from);
    await deletePending(context, pending, pairs, (batch) => deleteBatch(context, to.bucket, batch), options);
    await endStaleTransfers(context, to, options);
  });
}

async function* wanted(entries: AsyncIterable<ObjectEntry>, prefix: string, options: SyncOptions): AsyncGenerator<ObjectEntry> {
  const isNamed = options.paths && sortedMembership(options.paths());
  // An entry that comes too late for the key list would look deleted. `mergeSorted` no longer sees it.
  const pathOf = orderedName((entry: ObjectEntry) => entry.key.slice(prefix.length));
  for await (const value of entries) {
    const path = pathOf({ value })!;
    // The marker of the synced folder itself; one with bytes is somebody's object.
    if ((path === '' && value.size === 0) || isNamed?.(path) === false || options.filter?.(path) === false) continue;
    yield value;
  }
}

async function* planned<Left extends { size?: number | null }, Right>(
  context: TransferContext,
  pairs: AsyncIterable<Pair<Left, Right>>,
  pending: PendingDeletes<Right>,
): AsyncGenerator<Pair<Left, Right>> {
  for await (const pair of pairs) {
    // Items only on the target are planned when they are deleted.
    if (pair.left !== undefined) {
      context.meter.addPlanned(pair.left.size ?? 0);
      pending.countSource(pair.name, pair.left.size);
    }
    yield pair;
  }
  context.meter.finishPlan();
}

/** Removes what was found to be too much, now that everything else is done. */
async function deletePending<Left, Right>(
  context: TransferContext,
  pending: PendingDeletes<Right>,
  again: () => AsyncIterable<Pair<Left, Right>>,
  remove: (batch: Right[]) => Promise<void>,
  options: SyncOptions,
  mayGo: (right: Right) => boolean = () => true,
  known?: S3Error,
): Promise<void> {
  const problem = known ?? pending.problem(context, options);
  if (problem !== undefined) return context.report.fail('delete', '(everything that would be deleted)', problem);
  for (let held = pending; ;) {
    const before = context.report.summary.deleted;
    // All of it now: what a stop leaves is told by that.
    for (const batch of held.batches()) for (const _ of batch) context.meter.addPlanned(0);
    await context.workers.forEach('delete', held.batches(), () => 'a batch of deletions', remove);
    const gone = context.report.summary.deleted - before;
    // More than are worth holding: what is left is found by looking again, unless nothing of it goes.
    if (!held.isTruncated || gone === 0) return undefined;
    const rest = new PendingDeletes<Right>(context.dryRun ? context.report.summary.deleted : 0);
    for await (const { left, right } of again()) {
      if (left === undefined) {
        if (mayGo(right!)) rest.add(right!);
      } else if ((left as { problem?: S3Error }).problem === undefined) rest.sources++;
    }
    const changed = rest.changedSince(held, gone);
    if (changed !== undefined) return context.report.fail('delete', '(the rest of what would be deleted)', changed);
    held = rest;
  }
}
