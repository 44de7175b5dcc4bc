import { fileSource, streamSource } from '../../../src/bulk/node/files/file-source.js';
import { walk } from '../../../src/bulk/node/files/walk.js';
import type { Place, Summary } from '../../../src/bulk/types.js';
import type { UploadOptions } from '../../../src/bulk/upload/upload.js';
import { UsageError } from '../errors.js';
import { takesManyFiles } from './cp-flags.js';
import type { CpFlags } from './cp-flags.js';
import { makeTreeFilter, openCleanupJournal, openJournal, skipJournals } from './journals.js';
import { findListedFiles } from './listed-files.js';
import { asFolder, checkDirectory, isDirectory, isFile, keyForFile } from './locations.js';
import type { LocalLocation, Location } from './locations.js';
import { createHashedNames, nameListFrom } from './name-list.js';
import type { NameList } from './name-list.js';
import type { Session } from './session.js';
import { readStandardInput } from './standard-input.js';
import { reportSkippedFiles, uploadOptionsOf } from './upload-options.js';

/** Uploads standard input, a file, a directory, or the files of a list. */
export function upload(
  source: Exclude<Location, { kind: 's3' }>,
  target: Place,
  flags: CpFlags,
  session: Session,
): Promise<Summary> {
  if (source.kind === 'pipe') return uploadStandardInput(target, flags, session);
  const list = nameListFrom(flags, session.runOptions);
  if (list !== undefined) return uploadList(list, source, target, flags, session);
  if (!flags.recursive || isFile(source.path)) return uploadFile(source, target, flags, session);
  return uploadDirectory(source, target, flags, session);
}

const optionsOf = (flags: CpFlags, session: Session): UploadOptions => ({
  ...uploadOptionsOf(flags, session),
  ...(!flags.clobber && { onlyNew: true }),
});

const expectedSizeOf = ({ expectedSize }: CpFlags): { expectedSize?: number } =>
  expectedSize === undefined ? {} : { expectedSize };

function uploadStandardInput(target: Place, flags: CpFlags, session: Session): Promise<Summary> {
  if (takesManyFiles(flags)) throw new UsageError('standard input is one object: remove -r and --files-from');
  if (target.prefix === '' || target.prefix.endsWith('/'))
    throw new UsageError('standard input has no name: add the name of the new object to the target');
  const input = streamSource(target.prefix, readStandardInput);
  return session.bulk.upload([{ ...input, ...expectedSizeOf(flags) }], target, {
    ...optionsOf(flags, session),
    journal: openCleanupJournal(flags, { kind: 'cp', otherSide: '-', place: target }),
    exact: true,
  });
}

function uploadFile(source: LocalLocation, target: Place, flags: CpFlags, session: Session): Promise<Summary> {
  if (isDirectory(source.path)) throw new UsageError(`${source.text} is a directory: add -r`);
  const key = keyForFile(target.prefix, source.path);
  const place = { ...target, prefix: key };
  const file = { ...fileSource(source.text, key, true), ...expectedSizeOf(flags) };
  // A stream can be read only once, so its upload cannot be resumed.
  const journal =
    file.stream === undefined ? { journal: openJournal(session, flags, { kind: 'cp', otherSide: source.path, place }) } : {};
  return session.bulk.upload([file], place, { ...optionsOf(flags, session), ...journal, exact: true });
}

function uploadDirectory(source: LocalLocation, target: Place, flags: CpFlags, session: Session): Promise<Summary> {
  checkDirectory(source);
  const filter = makeTreeFilter(source.path, flags);
  const walkOptions = { symlinks: flags.symlinks, filter };
  const files = walk(source.path, { ...walkOptions, ...reportSkippedFiles(session) });
  // The survey counts the files, so that the progress can show a percentage.
  const survey = session.reporter.wantsProgress ? { survey: walk(source.path, walkOptions) } : {};
  return session.bulk.upload(files, asFolder(target), {
    ...optionsOf(flags, session),
    ...survey,
    known: createHashedNames(session),
    filter,
    journal: openJournal(session, flags, { kind: 'cp', otherSide: source.path, place: target }),
  });
}

function uploadList(list: NameList, source: LocalLocation, target: Place, flags: CpFlags, session: Session): Promise<Summary> {
  const treeFilter = makeTreeFilter(source.path, flags);
  const findOptions = { symlinks: flags.symlinks, ...reportSkippedFiles(session) };
  const files = findListedFiles(list, source.path, findOptions, skipJournals(treeFilter, 'upload', session));
  return session.bulk.upload(files, asFolder(target), {
    ...optionsOf(flags, session),
    known: createHashedNames(session),
    // The journal may contain unfinished uploads of files that this list does not name. No filter matches them, so they are kept.
    filter: () => false,
    journal: openJournal(session, flags, { kind: 'cp', otherSide: source.path, place: target }),
  });
}
