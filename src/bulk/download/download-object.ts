import { S3Error } from '../errors.js';
import { withHead } from '../list/key-list.js';
import { localPath } from '../s3/object-keys.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { ObjectEntry, Target } from '../types.js';
import { toFatalDiskError } from './disk-error.js';
import { downloadFile } from './download-file.js';
import type { DownloadSettings, DownloadedFile } from './download-settings.js';

/** Settings of the download of one object. */
export interface SaveSettings extends DownloadSettings {
  /** Conflicting items are deleted before the download. In a dry run they still exist and do not count as a problem. */
  cleared?: boolean;
}

/**
 * Downloads one object, or creates a directory for an object that marks one, and reports it.
 * @param resumed skips objects that an earlier run of the same command has completed
 * @returns undefined if no file was written
 * @throws S3Error
 */
export async function downloadObject(
  context: TransferContext,
  listedEntry: ObjectEntry,
  prefix: string,
  settings: SaveSettings,
  resumed: boolean,
): Promise<DownloadedFile | undefined> {
  const { key } = listedEntry;
  const { target } = settings;
  const path = safePath(target, key, key.slice(prefix.length));
  const entry = await withHead(context, settings.bucket, listedEntry);
  if (!key.endsWith('/')) return saveObject(context, entry, path, settings, resumed);
  if (entry.size > 0)
    throw new S3Error('NameUnsafe', `${key}: its name ends with a slash, as directories do, but it has ${entry.size} bytes.`);
  // A sync, which is not `resumed`, does not list directories that contain other files.
  if (!resumed && (await target.isFolder?.(path))) return void context.report.skip('download', key, 0, 'same');
  try {
    if (!context.dryRun) await target.makeDirectory(path);
  } catch (error) {
    throw toFatalDiskError(error, target, path);
  }
  context.report.done('download', key, 0);
  return undefined;
}

/**
 * Downloads an object to a path and reports it.
 * @param resumed as in `downloadObject`
 * @returns undefined if no file was written
 * @throws S3Error
 */
export async function saveObject(
  context: TransferContext,
  entry: ObjectEntry,
  path: string,
  settings: SaveSettings,
  resumed: boolean,
): Promise<DownloadedFile | undefined> {
  const { key, size } = entry;
  const { target } = settings;
  if (settings.onlyNew && (await target.exists(path))) return skipExisting(context, target, entry, path, 'exists');
  const fingerprint = `down ${entry.etag} ${size} ${key}`;
  if (resumed && (await isCompleted(context, target, path, fingerprint, size)))
    return skipExisting(context, target, entry, path, 'completed by an earlier run');
  if (context.dryRun) {
    if (!settings.cleared) await target.look?.(path);
    context.report.done('download', key, size);
    return undefined;
  }
  const file = await downloadFile(context, entry, path, settings).catch((error: unknown) => {
    if (settings.onlyNew && (error as S3Error).code === 'PreconditionFailed') return undefined;
    throw toFatalDiskError(error, target, path);
  });
  if (file === undefined) {
    context.report.skip('download', key, size, 'exists');
    return undefined;
  }
  if (resumed) {
    context.journal.complete(fingerprint);
    context.journal.complete(withModificationTime(fingerprint, file.mtimeNs));
  }
  context.report.done('download', key, file.size, file.resumedBytes);
  return file;
}

/** Skips an object whose file exists. @throws S3Error `NameTaken` */
export function skipExisting(
  context: TransferContext,
  target: Target,
  { key, size }: ObjectEntry,
  path: string,
  reason: string,
): undefined | Promise<undefined> {
  const keeping = target.keep?.(path);
  if (keeping) return keeping.then(() => void context.report.skip('download', key, size, reason));
  return void context.report.skip('download', key, size, reason);
}

/** Returns the path of an object in the target. @throws S3Error `NameUnsafe` */
export function safePath(target: Target, name: string, path: string): string {
  const place = localPath(path);
  const problem = 'problem' in place ? place.problem : target.refuses?.(place.path);
  if (problem !== undefined) throw new S3Error('NameUnsafe', `${name}: ${problem}.`);
  return (place as { path: string }).path;
}

/**
 * Returns whether an earlier run has completed the download and the file is unchanged. It may have been changed, or lost in a
 * power cut.
 */
async function isCompleted(
  context: TransferContext,
  target: Target,
  path: string,
  fingerprint: string,
  size: number,
): Promise<boolean> {
  if (!context.journal.isCompleted(fingerprint)) return false;
  const file = await target.stat?.(path);
  return file?.size === size && context.journal.isCompleted(withModificationTime(fingerprint, file.mtimeNs));
}

const withModificationTime = (fingerprint: string, mtimeNs: bigint): string => `${fingerprint} ${mtimeNs}`;
