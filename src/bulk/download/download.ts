import { S3Error } from '../errors.js';
import type { LocalCode } from '../errors.js';
import { localPath } from '../s3/object-keys.js';
import type { Store } from '../s3/object-store.js';
import type { ObjectEntry, Place, Summary, Target } from '../types.js';
import { downloadFile } from './download-file.js';
import type { Downloaded, DownloadSettings } from './download-file.js';
import { listAll } from '../list/list.js';
import { entryOf, namedObjects, withFacts } from '../list/key-list.js';
import type { ListOptions } from '../list/key-list.js';
import { nothingBelow, WITHOUT_R } from '../list/empty-prefix.js';
import { withRun } from '../transfer/run.js';
import type { Run, RunOptions } from '../transfer/run.js';
import { cleanUpLeftovers } from '../upload/upload.js';

export interface DownloadOptions extends RunOptions, ListOptions, Partial<Omit<DownloadSettings, 'bucket' | 'target'>> {
  /** Only paths, relative to the prefix, for which it says true. */
  filter?: (path: string) => boolean;
  /** Only these paths below the prefix, instead of all. */
  paths?: AsyncIterable<string> | Iterable<string>;
}

/** Everything under a prefix into a target. */
export function download(store: Store, from: Place, target: Target, options: DownloadOptions): Promise<Summary> {
  const settings = { ...options, bucket: from.bucket, target };
  return withRun(store, options, async (run) => {
    let empty = options.paths === undefined;
    const entries =
      options.paths === undefined
        ? listed(run, from, options, () => (empty = false))
        : namedObjects(run, 'download', from.prefix, options.paths, options);
    await run.pump(
      'download',
      entries,
      ({ key }) => key,
      (entry) => downloadOne(run, entry, from.prefix, settings, true),
    );
    await dropLeftovers(run, from, target, options);
    if (empty) await nothingBelow(run, 'download', from, WITHOUT_R);
  });
}

/** The one object of that key, as `path` in a target, which it may not leave. */
export function downloadExact(
  store: Store,
  from: Place,
  target: Target,
  path: string,
  options: DownloadOptions,
): Promise<Summary> {
  const settings = { ...options, bucket: from.bucket, target };
  return withRun(store, options, async (run) => {
    const key = from.prefix;
    await run.pump('download', [key], String, async () => {
      const safe = safePath(target, path, path);
      const entry = await entryOf(run, from.bucket, key);
      if (entry.size === 0 && key.endsWith('/'))
        throw new S3Error('InvalidOption', `${key} is empty, and but the mark of a folder: add -r.`);
      run.meter.plan(entry.size);
      run.meter.planned();
      await saveAs(run, entry, safe, settings, true);
    });
  });
}

/** Drops what earlier runs wrote of objects that are gone, or here by now. */
export const dropLeftovers = (
  run: Run,
  from: Place,
  target: Target,
  options: { filter?: (path: string) => boolean; paths?: unknown },
): Promise<void> =>
  cleanUpLeftovers(run, from, options, {
    action: 'download',
    async end({ key, own }) {
      const place = localPath(key.slice(from.prefix.length));
      if ('path' in place) await target.forget?.(place.path, own);
      run.journal.end(key);
    },
  });

async function* listed(run: Run, from: Place, options: DownloadOptions, found: () => void): AsyncGenerator<ObjectEntry> {
  for await (const entry of listAll(run, from)) {
    found();
    const path = entry.key.slice(from.prefix.length);
    // Consoles and others mark a folder by an empty object of its name: that of the one that is copied.
    if ((path === '' && entry.size === 0) || options.filter?.(path) === false) continue;
    run.meter.plan(entry.size);
    yield entry;
  }
  run.meter.planned();
}

export interface Saving extends DownloadSettings {
  /** What stands in the way goes before: in a dry run it is still there. */
  cleared?: boolean;
}

/**
 * One object of a run: to its safe place, dry or real, and counted.
 * @param resumed whether what an earlier run of this command noted as done is left alone.
 */
export async function downloadOne(
  run: Run,
  listedEntry: ObjectEntry,
  prefix: string,
  settings: Saving,
  resumed: boolean,
): Promise<Downloaded | undefined> {
  const { key } = listedEntry;
  const path = safePath(settings.target, key, key.slice(prefix.length));
  const entry = await withFacts(run, settings.bucket, listedEntry);
  if (!key.endsWith('/')) return saveAs(run, entry, path, settings, resumed);
  if (entry.size > 0) throw new S3Error('NameUnsafe', `${key}: an object with bytes cannot be a directory.`);
  // To a sync it is the same: what it has not met of one is left out of it.
  if (!resumed && (await settings.target.isFolder?.(path))) return void run.skip('download', key, 0, 'same');
  try {
    if (!run.dryRun) await settings.target.makeDirectory(path);
  } catch (error) {
    throw diskError(error, settings.target, path);
  }
  run.done('download', key, 0);
  return undefined;
}

/** Where in the target something goes that is named so. @throws S3Error `NameUnsafe` */
function safePath(target: Target, name: string, wanted: string): string {
  const place = localPath(wanted);
  const problem = 'problem' in place ? place.problem : target.refuses?.(place.path);
  if (problem !== undefined) throw new S3Error('NameUnsafe', `${name}: ${problem}.`);
  return (place as { path: string }).path;
}

/** What every other file would meet as well, unless it lies on another disk. */
const DISK_ERRORS: ReadonlyMap<string, [code: LocalCode, message: string]> = new Map([
  ['ENOSPC', ['TargetFull', 'The disk of the target is full']],
  ['EDQUOT', ['TargetFull', 'The quota on the disk of the target is used up']],
  ['EROFS', ['TargetReadOnly', 'The disk of the target can only be read']],
]);

/** What a target failed with, told as the end of the run where it is: each file that is left would be fetched in vain. */
function diskError(error: unknown, target: Target, path: string): unknown {
  const cause = error instanceof S3Error ? (error.cause as { code?: string } | undefined) : undefined;
  const known = DISK_ERRORS.get(cause?.code ?? '');
  if (known === undefined || target.isOnDisk?.(path) === false) return error;
  return new S3Error(known[0], `${known[1]} (${(error as S3Error).message}).`, { cause: error });
}

/** With the time that the file then had. */
const withTime = (print: string, mtimeNs: bigint): string => `${print} ${mtimeNs}`;

/** What was settled is still looked for: it may be changed or gone, or lost in a cut of power before it was flushed. */
async function isAsItCame(run: Run, target: Target, path: string, print: string, size: number): Promise<boolean> {
  const file = await target.stat?.(path);
  return file?.size === size && run.journal.settled(withTime(print, file.mtimeNs));
}

/** What stands at a path is left as it is. @throws S3Error `NameTaken` */
export function skipKept(
  run: Run,
  target: Target,
  { key, size }: ObjectEntry,
  path: string,
  why: string,
): undefined | Promise<undefined> {
  const keeping = target.keep?.(path);
  if (keeping) return keeping.then(() => void run.skip('download', key, size, why));
  return void run.skip('download', key, size, why);
}

async function saveAs(
  run: Run,
  entry: ObjectEntry,
  path: string,
  settings: Saving,
  resumed: boolean,
): Promise<Downloaded | undefined> {
  const { key, size } = entry;
  const { target } = settings;
  if (settings.onlyNew && (await target.exists(path))) return skipKept(run, target, entry, path, 'exists');
  const print = `down ${entry.etag} ${size} ${key}`;
  if (resumed && run.journal.settled(print) && (await isAsItCame(run, target, path, print, size)))
    return skipKept(run, target, entry, path, 'done by the run before');
  if (run.dryRun) {
    if (!settings.cleared) await target.look?.(path);
    run.done('download', key, size);
    return undefined;
  }
  const made = await downloadFile(run, entry, path, settings).catch((error: unknown) => {
    if (settings.onlyNew && (error as S3Error).code === 'PreconditionFailed') return undefined;
    throw diskError(error, target, path);
  });
  if (made === undefined) {
    run.skip('download', key, size, 'exists');
    return undefined;
  }
  if (resumed) {
    run.journal.settle(print);
    run.journal.settle(withTime(print, made.mtimeNs));
  }
  run.done('download', key, made.size, made.there);
  return made;
}
