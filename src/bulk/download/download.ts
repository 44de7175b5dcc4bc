import type { DownloadedFile, DownloadSettings } from './download-settings.js';
import { endStaleTransfers } from '../multipart/stale-transfers.js';
import { runTransfer } from '../transfer/run-transfer.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { RunOptions } from '../transfer/run-options.js';
import { S3Error } from '../errors.js';
import type { LocalCode } from '../errors.js';
import { localPath } from '../s3/object-keys.js';
import type { Store } from '../s3/object-store.js';
import type { ObjectEntry, Place, Summary, Target } from '../types.js';
import { downloadFile } from './download-file.js';
import { listAllObjects } from '../list/list-objects.js';
import { entryOfKey, objectsOfKeyList, withHead } from '../list/key-list.js';
import type { ListOptions } from '../list/key-list.js';
import { reportEmptyPrefix, OMIT_RECURSIVE } from '../list/empty-prefix.js';

export interface DownloadOptions extends RunOptions, ListOptions, Partial<Omit<DownloadSettings, 'bucket' | 'target'>> {
  /** Only paths, relative to the prefix, for which it says true. */
  filter?: (path: string) => boolean;
  /** Only these paths below the prefix, instead of all. */
  paths?: AsyncIterable<string> | Iterable<string>;
}

/** Everything under a prefix into a target. */
export function download(store: Store, from: Place, target: Target, options: DownloadOptions): Promise<Summary> {
  const settings = { ...options, bucket: from.bucket, target };
  return runTransfer(store, options, async (context) => {
    let empty = options.paths === undefined;
    const entries =
      options.paths === undefined
        ? listed(context, from, options, () => (empty = false))
        : objectsOfKeyList(context, 'download', from.prefix, options.paths, options);
    await context.workers.forEach(
      'download',
      entries,
      ({ key }) => key,
      (entry) => downloadOne(context, entry, from.prefix, settings, true),
    );
    await discardStaleDownloads(context, from, target, options);
    if (empty) await reportEmptyPrefix(context, 'download', from, OMIT_RECURSIVE);
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
  return runTransfer(store, options, async (context) => {
    const key = from.prefix;
    await context.workers.forEach('download', [key], String, async () => {
      const safe = safePath(target, path, path);
      const entry = await entryOfKey(context, from.bucket, key);
      if (entry.size === 0 && key.endsWith('/'))
        throw new S3Error('InvalidOption', `${key} is empty, and but the mark of a folder: add -r.`);
      context.meter.addPlanned(entry.size);
      context.meter.finishPlan();
      await saveObject(context, entry, safe, settings, true);
    });
  });
}

/** Drops what earlier runs wrote of objects that are gone, or here by now. */
export const discardStaleDownloads = (
  context: TransferContext,
  from: Place,
  target: Target,
  options: { filter?: (path: string) => boolean; paths?: unknown },
): Promise<void> =>
  endStaleTransfers(context, from, options, {
    action: 'download',
    async end({ key, own }) {
      const place = localPath(key.slice(from.prefix.length));
      if ('path' in place) await target.forget?.(place.path, own);
      context.journal.end(key);
    },
  });

async function* listed(
  context: TransferContext,
  from: Place,
  options: DownloadOptions,
  found: () => void,
): AsyncGenerator<ObjectEntry> {
  for await (const entry of listAllObjects(context, from)) {
    found();
    const path = entry.key.slice(from.prefix.length);
    // Consoles and others mark a folder by an empty object of its name: that of the one that is copied.
    if ((path === '' && entry.size === 0) || options.filter?.(path) === false) continue;
    context.meter.addPlanned(entry.size);
    yield entry;
  }
  context.meter.finishPlan();
}

export interface SaveSettings extends DownloadSettings {
  /** What stands in the way goes before: in a dry run it is still there. */
  cleared?: boolean;
}

/**
 * One object of a context: to its safe place, dry or real, and counted.
 * @param resumed whether what an earlier run of this command noted as done is left alone.
 */
export async function downloadOne(
  context: TransferContext,
  listedEntry: ObjectEntry,
  prefix: string,
  settings: SaveSettings,
  resumed: boolean,
): Promise<DownloadedFile | undefined> {
  const { key } = listedEntry;
  const path = safePath(settings.target, key, key.slice(prefix.length));
  const entry = await withHead(context, settings.bucket, listedEntry);
  if (!key.endsWith('/')) return saveObject(context, entry, path, settings, resumed);
  if (entry.size > 0) throw new S3Error('NameUnsafe', `${key}: an object with bytes cannot be a directory.`);
  // To a sync it is the same: what it has not met of one is left out of it.
  if (!resumed && (await settings.target.isFolder?.(path))) return void context.report.skip('download', key, 0, 'same');
  try {
    if (!context.dryRun) await settings.target.makeDirectory(path);
  } catch (error) {
    throw diskError(error, settings.target, path);
  }
  context.report.done('download', key, 0);
  return undefined;
}

/** Where in the target something goes that is named so. @throws S3Error `NameUnsafe` */
function safePath(target: Target, name: string, wanted: string): string {
  const place = localPath(wanted);
  const problem = 'problem' in place ? place.problem : target.refuses?.(place.path);
  if (problem !== undefined) throw new S3Error('NameUnsafe', `${name}: ${problem}.`);
  return (place as { path: string }).path;
}

/** Disk errors that every other file on the same disk would meet too. */
const DISK_ERRORS: ReadonlyMap<string, [code: LocalCode, message: string]> = new Map([
  ['ENOSPC', ['TargetFull', 'The disk of the target is full']],
  ['EDQUOT', ['TargetFull', 'The quota on the disk of the target is used up']],
  ['EROFS', ['TargetReadOnly', 'The disk of the target can only be read']],
]);

/** Converts an error of a full or read-only disk into one that ends the transfer: every other file would be fetched in vain. */
function diskError(error: unknown, target: Target, path: string): unknown {
  const cause = error instanceof S3Error ? (error.cause as { code?: string } | undefined) : undefined;
  const known = DISK_ERRORS.get(cause?.code ?? '');
  if (known === undefined || target.isOnDisk?.(path) === false) return error;
  return new S3Error(known[0], `${known[1]} (${(error as S3Error).message}).`, { cause: error });
}

/** With the time that the file then had. */
const withModificationTime = (print: string, mtimeNs: bigint): string => `${print} ${mtimeNs}`;

/** Whether a file that an earlier run completed is still there: it may have changed, or been lost in a power cut. */
async function isUnchanged(
  context: TransferContext,
  target: Target,
  path: string,
  print: string,
  size: number,
): Promise<boolean> {
  const file = await target.stat?.(path);
  return file?.size === size && context.journal.isCompleted(withModificationTime(print, file.mtimeNs));
}

/** Skips an object whose file exists. @throws S3Error `NameTaken` */
export function skipExisting(
  context: TransferContext,
  target: Target,
  { key, size }: ObjectEntry,
  path: string,
  why: string,
): undefined | Promise<undefined> {
  const keeping = target.keep?.(path);
  if (keeping) return keeping.then(() => void context.report.skip('download', key, size, why));
  return void context.report.skip('download', key, size, why);
}

async function saveObject(
  context: TransferContext,
  entry: ObjectEntry,
  path: string,
  settings: SaveSettings,
  resumed: boolean,
): Promise<DownloadedFile | undefined> {
  const { key, size } = entry;
  const { target } = settings;
  if (settings.onlyNew && (await target.exists(path))) return skipExisting(context, target, entry, path, 'exists');
  const print = `down ${entry.etag} ${size} ${key}`;
  if (resumed && context.journal.isCompleted(print) && (await isUnchanged(context, target, path, print, size)))
    return skipExisting(context, target, entry, path, 'done by the run before');
  if (context.dryRun) {
    if (!settings.cleared) await target.look?.(path);
    context.report.done('download', key, size);
    return undefined;
  }
  const made = await downloadFile(context, entry, path, settings).catch((error: unknown) => {
    if (settings.onlyNew && (error as S3Error).code === 'PreconditionFailed') return undefined;
    throw diskError(error, target, path);
  });
  if (made === undefined) {
    context.report.skip('download', key, size, 'exists');
    return undefined;
  }
  if (resumed) {
    context.journal.complete(print);
    context.journal.complete(withModificationTime(print, made.mtimeNs));
  }
  context.report.done('download', key, made.size, made.resumedBytes);
  return made;
}
