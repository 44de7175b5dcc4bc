import { S3Error, toS3Error } from '../errors.js';
import { joinKey, localPath, nameOf } from '../s3/object-keys.js';
import type { Store } from '../s3/object-store.js';
import type { ObjectEntry, Place, SourceFile, Summary, Target } from '../types.js';
import { checkSync } from '../transfer/validate-options.js';
import { isSame, pairPrint, sameObject } from './compare.js';
import type { Comparison } from './compare.js';
import { apart, copyOne } from '../copy/copy.js';
import type { CopySettings } from '../copy/copy.js';
import { downloadOne, dropLeftovers, skipKept } from '../download/download.js';
import type { Saving } from '../download/download.js';
import type { DownloadSettings } from '../download/download-file.js';
import { Doomed, sparing } from './pending-deletes.js';
import { listAll } from '../list/list.js';
import { foldersAbove, ENTRIES_MAX, InTheWay } from './type-conflicts.js';
import { inOrder, merge, treeOf } from './merge.js';
import type { Pair } from './merge.js';
import { inStep } from '../list/key-list.js';
import { notAnObject } from '../list/empty-prefix.js';
import { removeBatch } from '../delete/delete-objects.js';
import { unattended } from '../transfer/unref-timer.js';
import { withRun } from '../transfer/run.js';
import type { Run, RunOptions } from '../transfer/run.js';
import { cleanUpLeftovers, survey, uploadOne } from '../upload/upload.js';
import type { UploadOptions } from '../upload/upload.js';
import type { UploadSettings } from '../upload/put-bytes.js';

export interface SyncOptions extends RunOptions {
  /** @default "times" */
  compare?: Comparison;
  /**
   * Remove from the other side what is not on this one: at the end, and only when nothing failed until then. Prefixes are folders then: they
   * end in a slash, or are empty.
   */
  delete?: boolean;
  /** Where more would go, or where the source has no file and no bound is given, nothing goes. @default no bound */
  maxDelete?: number;
  /** Only paths for which it says true; others are neither copied nor removed. */
  filter?: (path: string) => boolean;
  /** Only these, of both sides: in the order of keys, and as often as it is asked for. A local tree is taken as it is yielded. */
  paths?: () => Iterable<string>;
}

/** A local tree, in the order of keys, that can be asked for more than once. */
export type SortedSource = () => AsyncIterable<SourceFile> | Iterable<SourceFile>;

/** Makes a prefix hold what a local tree holds. */
export function syncUp(
  store: Store,
  source: SortedSource,
  to: Place,
  options: SyncOptions & Partial<Omit<UploadSettings, 'bucket'>> & Pick<UploadOptions, 'survey'>,
): Promise<Summary> {
  const settings = { properties: {}, ...options, bucket: to.bucket };
  return withRun(store, options, async (run) => {
    checkSync(options, to);
    surveyLater(run, options.survey);
    const doomed = new Doomed<ObjectEntry>();
    const pairs = (): AsyncGenerator<Pair<SourceFile, ObjectEntry>> =>
      sparing(
        merge(treeOf(source), wanted(listAll(run, to), to.prefix, options), nameOf, (entry) => entry.key.slice(to.prefix.length)),
      );
    await run.pump(
      'upload',
      planned(run, pairs(), doomed),
      ({ name }) => name,
      async ({ left, right }) => {
        if (left === undefined) return options.delete ? doomed.add(right!) : undefined;
        const key = joinKey(to.prefix, nameOf(left));
        if (
          right !== undefined &&
          left.problem === undefined &&
          (await isSame(run, to.bucket, left, right, options.compare ?? 'times'))
        )
          return run.skip('upload', key, right.size, 'same');
        const made = await uploadOne(run, left, key, settings, false);
        // The next run finds the object with this ETag, and need not ask for its time.
        if (made !== undefined)
          run.journal.settle(
            pairPrint(
              { ...left, size: made.size, ...(made.mtimeNs !== undefined && { mtimeNs: made.mtimeNs }) },
              { ...EMPTY, key, etag: made.etag },
            ),
          );
        return undefined;
      },
    );
    await removeDoomed(run, doomed, pairs, (batch) => removeBatch(run, to.bucket, batch), options);
    await cleanUpLeftovers(run, to, options);
  });
}

const EMPTY: ObjectEntry = { key: '', size: 0, etag: '', lastModifiedMs: 0 };

/** Sooner nothing is said of what is left. Milliseconds. */
const SURVEY_AFTER = 1000;

/** A sync that finds nothing to do is over before, and would take half as long again. */
function surveyLater(run: Run, source: Iterable<SourceFile> | undefined): void {
  if (source !== undefined) unattended(() => void survey(run, source).catch(() => {}), SURVEY_AFTER);
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
  return withRun(store, options, async (run) => {
    checkSync(options, from);
    const doomed = new Doomed<SourceFile>();
    const inTheWay = new InTheWay(target, options.delete === true);
    /** Directories that the source has as objects of their own, which stay when nothing is in them. */
    const marked = new Set<string>();
    // What this run may go on with is dropped by a later one, when it knows of nothing to go on with.
    const goesOn = run.journal.unfinished.size > 0;
    const mayGo = (file: SourceFile): boolean => isOurs(file) && !(file.leftOver && goesOn);
    const pairs = (): AsyncGenerator<Pair<ObjectEntry, SourceFile>> =>
      merge(
        wanted(listAll(run, from), from.prefix, options),
        treeOf(existing),
        (entry) => entry.key.slice(from.prefix.length),
        nameOf,
      );
    const fetch = async (entry: ObjectEntry, how: Saving = settings): Promise<void> => {
      const made = await downloadOne(run, entry, from.prefix, how, false);
      if (made !== undefined)
        run.journal.settle(pairPrint({ path: '', size: made.size, mtimeNs: made.mtimeNs }, { ...entry, etag: made.etag }));
    };
    await run.pump(
      'download',
      planned(run, pairs(), doomed),
      ({ name }) => name || from.prefix,
      async ({ name, left, right: there, folder }) => {
        if (left !== undefined && name.endsWith('/') && marked.size < ENTRIES_MAX) marked.add(name);
        if (left === undefined) {
          if (!mayGo(there!)) return undefined;
          if (!options.delete) return there!.leftOver && run.emit({ type: 'leftover', name, size: there!.size ?? 0 });
          inTheWay.mayBe(there!);
          return doomed.add(there!);
        }
        const right = there?.leftOver ? undefined : there;
        if (right === undefined) {
          // Asked of a folder as well: where its name is a file's, too, what it holds is not to go for that.
          if (await inTheWay.holdsUp(left, name)) return undefined;
          if (folder && left.size === 0) return run.skip('download', left.key, 0, 'same');
        } else if (right.problem === undefined && (await isSame(run, from.bucket, right, left, options.compare ?? 'times', true)))
          return skipKept(run, target, left, name, 'same');
        return fetch(left);
      },
    );
    if (doomed.sourceEmpty) await notAnObject(run, from);
    const remove = async (batch: SourceFile[]): Promise<void> => {
      for (const file of batch) {
        const place = localPath(nameOf(file));
        if ('problem' in place) continue;
        try {
          if (!run.dryRun) await target.remove(place.path);
          run.done('delete', file.path, file.size ?? 0);
        } catch (error) {
          run.fail('delete', file.path, toS3Error(error));
        }
      }
    };
    /** Directories go with the last file in them, or the next sync up would make objects of them. */
    const removeEmptied = async (batch: SourceFile[]): Promise<void> => {
      if (run.dryRun || options.paths !== undefined || marked.size >= ENTRIES_MAX) return;
      const folders = new Set(batch.flatMap(({ path }) => [...foldersAbove(path)]));
      for (const folder of [...folders].toSorted().toReversed())
        try {
          if (!marked.has(`${folder}/`) && (await target.isFolder?.(folder))) await target.remove(folder);
        } catch {
          // It holds more.
        }
    };
    const problem = doomed.problem(run, options);
    // Of what will go, this goes first, and nothing else where then not all can be copied.
    for (const { key } of inTheWay.rename(problem === undefined))
      run.fail('download', key, new S3Error('NameTaken', `${key}: a file stands there whose name differs in capitals alone.`));
    if (problem === undefined) await remove(inTheWay.files());
    for (const folder of inTheWay.folders())
      try {
        await inTheWay.clear(folder, problem === undefined, run.dryRun);
        for (const { path, size } of folder.files) run.done('delete', path, size ?? 0);
      } catch (error) {
        run.fail('download', folder.entry.key, toS3Error(error));
      }
    await run.pump(
      'download',
      inTheWay.waiting,
      ({ key }) => key,
      (entry) => fetch(entry, { ...settings, cleared: problem === undefined }),
    );
    const others = async (batch: SourceFile[]): Promise<void> => {
      await remove(batch.filter((file) => !inTheWay.is(file)));
      await removeEmptied(batch);
    };
    await removeDoomed(run, doomed, pairs, others, options, mayGo, problem);
    await dropLeftovers(run, from, target, options);
  });
}

/** Makes one prefix hold what another holds. When objects are the same, see `sameObject`. */
export function syncWithin(store: Store, from: Place, to: Place, options: SyncOptions & CopySettings): Promise<Summary> {
  return withRun(store, options, async (run) => {
    checkSync(options, from, to);
    apart(store, from, to, from.prefix.startsWith(to.prefix) || to.prefix.startsWith(from.prefix));
    const doomed = new Doomed<ObjectEntry>();
    const side = (place: Place): AsyncGenerator<ObjectEntry> => wanted(listAll(run, place), place.prefix, options);
    const name =
      (place: Place) =>
      (entry: ObjectEntry): string =>
        entry.key.slice(place.prefix.length);
    const pairs = (): AsyncGenerator<Pair<ObjectEntry, ObjectEntry>> => merge(side(from), side(to), name(from), name(to));
    await run.pump(
      'copy',
      planned(run, pairs(), doomed),
      ({ name: one }) => one || from.prefix,
      async ({ left, right }) => {
        if (left === undefined) return options.delete ? doomed.add(right!) : undefined;
        if (right !== undefined && (await sameObject(run, { from, to }, left, right, options.compare ?? 'times')))
          return run.skip('copy', left.key, left.size, 'same');
        await copyOne(run, from.bucket, left, to.bucket, joinKey(to.prefix, name(from)(left)), options);
        return undefined;
      },
    );
    if (doomed.sourceEmpty) await notAnObject(run, from);
    await removeDoomed(run, doomed, pairs, (batch) => removeBatch(run, to.bucket, batch), options);
    await cleanUpLeftovers(run, to, options);
  });
}

async function* wanted(entries: AsyncIterable<ObjectEntry>, prefix: string, options: SyncOptions): AsyncGenerator<ObjectEntry> {
  const isNamed = options.paths && inStep(options.paths());
  // What comes too late for the list would look as if it were not there; `merge` no longer sees it.
  const pathOf = inOrder((entry: ObjectEntry) => entry.key.slice(prefix.length));
  for await (const value of entries) {
    const path = pathOf({ value })!;
    // The marker of the synced folder itself; one with bytes is somebody's object.
    if ((path === '' && value.size === 0) || isNamed?.(path) === false || options.filter?.(path) === false) continue;
    yield value;
  }
}

async function* planned<Left extends { size?: number | null }, Right>(
  run: Run,
  pairs: AsyncIterable<Pair<Left, Right>>,
  doomed: Doomed<Right>,
): AsyncGenerator<Pair<Left, Right>> {
  for await (const pair of pairs) {
    // What is on the other side only is planned when it goes.
    if (pair.left !== undefined) {
      run.meter.plan(pair.left.size ?? 0);
      doomed.met(pair.name, pair.left.size);
    }
    yield pair;
  }
  run.meter.planned();
}

/** Removes what was found to be too much, now that everything else is done. */
async function removeDoomed<Left, Right>(
  run: Run,
  doomed: Doomed<Right>,
  again: () => AsyncIterable<Pair<Left, Right>>,
  remove: (batch: Right[]) => Promise<void>,
  options: SyncOptions,
  mayGo: (right: Right) => boolean = () => true,
  known?: S3Error,
): Promise<void> {
  const problem = known ?? doomed.problem(run, options);
  if (problem !== undefined) return run.fail('delete', '(everything that would be deleted)', problem);
  for (let held = doomed; ;) {
    const before = run.summary.deleted;
    // All of it now: what a stop leaves is told by that.
    for (const batch of held.batches()) for (const _ of batch) run.meter.plan(0);
    await run.pump('delete', held.batches(), () => 'a batch of deletions', remove);
    const gone = run.summary.deleted - before;
    // More than are worth holding: what is left is found by looking again, unless nothing of it goes.
    if (!held.overflown || gone === 0) return undefined;
    const rest = new Doomed<Right>(run.dryRun ? run.summary.deleted : 0);
    for await (const { left, right } of again()) {
      if (left === undefined) {
        if (mayGo(right!)) rest.add(right!);
      } else if ((left as { problem?: S3Error }).problem === undefined) rest.sources++;
    }
    const changed = rest.changed(held, gone);
    if (changed !== undefined) return run.fail('delete', '(the rest of what would be deleted)', changed);
    held = rest;
  }
}
