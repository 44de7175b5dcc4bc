import { basename, dirname, join } from 'node:path';
import { FolderTarget } from '../../../src/bulk/node/files/folder-target.js';
import type { Place, Summary } from '../../../src/bulk/types.js';
import { UsageError } from '../errors.js';
import { rejectJsonFlag, writeObjects, writeObjectToStream } from './cat.js';
import { takesManyFiles } from './cp-flags.js';
import type { CpFlags } from './cp-flags.js';
import { makeTreeFilter, openJournal, skipJournals } from './journals.js';
import { asFolder, isDirectory } from './locations.js';
import type { LocalLocation, Location } from './locations.js';
import { listedPaths } from './name-list.js';
import { findOutputStream } from './output-stream.js';
import type { Session } from './session.js';

/**
 * Downloads an object, a prefix, or the objects of a list.
 * @returns undefined if the contents of an object were written to a pipe or a device
 */
export function download(
  source: Place,
  target: Exclude<Location, { kind: 's3' }>,
  flags: CpFlags,
  session: Session,
): Promise<Summary | undefined> {
  if (target.kind === 'pipe') return writeToStandardOutput(source, flags, session);
  return takesManyFiles(flags) ? downloadTree(source, target, flags, session) : downloadObject(source, target, flags, session);
}

async function writeToStandardOutput(source: Place, flags: CpFlags, session: Session): Promise<Summary | undefined> {
  if (takesManyFiles(flags)) throw new UsageError('standard output takes one object: remove -r and --files-from');
  if (flags.dryRun)
    return session.bulk.downloadExact(source, new FolderTarget('.'), '-', { ...session.runOptions, dryRun: true });
  await writeObjects(session, [source]);
  return undefined;
}

async function downloadObject(
  source: Place,
  target: LocalLocation,
  flags: CpFlags,
  session: Session,
): Promise<Summary | undefined> {
  const isIntoFolder = target.isFolder || isDirectory(target.path);
  if (source.prefix === '') throw new UsageError('add -r to copy everything below a prefix');
  // The key of an object may end in a slash, but a file of that name would replace the folder.
  if (source.prefix.endsWith('/') && isIntoFolder)
    throw new UsageError('add -r to copy everything below a prefix, or name a target file for an object with exactly this key');
  const path = isIntoFolder ? join(target.path, basename(source.prefix)) : target.path;
  const openStream = findOutputStream(path);
  if (openStream !== undefined && !flags.dryRun) {
    rejectJsonFlag(flags, 'an object is written to a pipe or a device');
    await writeObjectToStream(session, source, openStream);
    return undefined;
  }
  const options = openDownloadOptions(source, target, flags, session);
  return session.bulk.downloadExact(source, new FolderTarget(dirname(path)), basename(path), options);
}

function downloadTree(source: Place, target: LocalLocation, flags: CpFlags, session: Session): Promise<Summary> {
  const filter = makeTreeFilter(target.path, flags);
  return session.bulk.download(asFolder(source), new FolderTarget(target.path), {
    ...openDownloadOptions(source, target, flags, session),
    filter,
    ...listedPaths(flags, session, skipJournals(filter, 'download', session)),
  });
}

/** Returns the options of a download to files. It opens the journal, which only such a download closes. */
const openDownloadOptions = (source: Place, target: LocalLocation, flags: CpFlags, session: Session) => ({
  ...session.runOptions,
  ...(flags.partSize !== undefined && { partSize: flags.partSize }),
  ...(flags.dryRun && { dryRun: true }),
  ...(!flags.clobber && { onlyNew: true }),
  keepTimes: flags.times,
  ...(flags.preserveMode && { preserveMode: true }),
  journal: openJournal(session, flags, { kind: 'cp-down', otherSide: target.path, place: source }),
});
