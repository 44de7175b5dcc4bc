import { constants } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Command } from 'commander';
import { makeFilter } from '../../../src/bulk/list/path-filter.js';
import { FolderTarget } from '../../../src/bulk/node/files/folder-target.js';
import { fileSource, streamed, walk } from '../../../src/bulk/node/files/walk.js';
import type { WalkOptions } from '../../../src/bulk/node/files/walk.js';
import type { Place, SourceFile, Summary } from '../../../src/bulk/types.js';
import { UsageError } from '../errors.js';
import { writeObjects, writeObjectToStream, rejectJsonFlag } from './cat.js';
import { readNames, findListedFiles, createHashedNames, nameListFrom } from './name-list.js';
import { addListFlags, parseSizeFlag, addTransferFlags } from './flags.js';
import type { ListFlags, TransferFlags } from './flags.js';
import { quoteIfNeeded } from './format.js';
import { openCleanupJournal, makeTreeFilter, openJournal, skipJournals } from './journals.js';
import { adviseOnPattern } from './pattern-advice.js';
import { asFolder, checkDirectory, isDirectory, isFile, keyForFile, parseLocation } from './locations.js';
import type { Location } from './locations.js';
import { isStandardOutput, findOutputStream } from './output-stream.js';
import { readStandardInput } from './standard-input.js';
import { withSession } from './session.js';
import type { Session } from './session.js';
import { objectPropertiesOf, reportSkippedFiles, uploadOptionsOf } from './upload-options.js';
import { rejectInapplicableFlags } from './inapplicable-flags.js';

export interface CpFlags extends TransferFlags, ListFlags {
  recursive?: true;
  expectedSize?: number;
  /** False with `--no-clobber`. */
  clobber: boolean;
}

type LocalOrPipe = Exclude<Location, { kind: 's3' }>;

const EXAMPLES = `
Examples:
  svc-blob cp -r ./photos s3://main/photos --exclude '*.tmp'
  svc-blob cp s3://main/report.pdf .
  pg_dump shop | gzip | svc-blob cp - s3://main/shop.sql.gz
  find . -newer last -type f -print0 | svc-blob cp -0 --files-from - . s3://main/new

To resume an interrupted transfer, run the same command again.
Exit status: 0 all done, 1 something failed (listed at the end), 2 invalid use, 130 interrupted.`;

export const cpCommand = (): Command =>
  addTransferFlags(
    addListFlags(
      new Command('cp')
        .description('copy files to S3, from S3, or within S3')
        .argument('<source>', 'path, s3://bucket/key, or - for standard input')
        .argument('<target>', 'path, s3://bucket/key, or - for standard output')
        .option('-r, --recursive', 'copy everything below a directory or prefix'),
      'paths',
    )
      .option('--no-clobber', 'do not replace existing files or objects')
      .option('--expected-size <size>', 'largest size of piped input; sets the part size', parseSizeFlag),
  )
    // Shells expand *.txt to many arguments; the action explains what to do.
    .allowExcessArguments()
    .addHelpText('after', EXAMPLES)
    .action(async (sourceText: string, targetText: string, flags: CpFlags, command: Command) => {
      if (command.args.length > 2)
        throw new UsageError(
          `cp takes one source and one target, not ${command.args.length} arguments: use the directory with -r and --include, or a list with --files-from`,
        );
      const [source, target] = [parseLocation(sourceText), parseLocation(isStandardOutput(targetText) ? '-' : targetText)];
      if (source.kind !== 's3' && target.kind !== 's3') throw new UsageError('source or target must be s3://bucket/prefix');
      rejectInapplicableFlags(command, source, target, ['symlinks']);
      if (flags.filter !== undefined && !takesManyFiles(flags))
        throw new UsageError('--include and --exclude need -r or --files-from');
      if (target.kind === 'pipe' && !flags.dryRun) rejectJsonFlag(flags);
      // The exit status that shells give a command after SIGPIPE.
      const brokenPipe = target.kind === 'pipe' ? { brokenPipeStatus: 128 + constants.signals.SIGPIPE } : {};
      const pattern = adviseOnPattern(sourceText, (folder) =>
        target.kind === 'pipe' ? `ls -r ${folder}` : `cp -r ${folder} ${quoteIfNeeded(targetText)}`,
      );
      await withSession({ ...flags, ...brokenPipe, patternAdvice: pattern }, async (session) => {
        const summary = await copy(source, target, flags, session);
        if (summary !== undefined) session.reporter.reportSummary(summary, 'copy', flags.dryRun);
      });
    });

function copy(source: Location, target: Location, flags: CpFlags, session: Session): Promise<Summary | undefined> {
  if (source.kind !== 's3') return upload(source, target as Place, flags, session);
  if (target.kind !== 's3') return download(source, target, flags, session);
  return copyWithin(source, target, flags, session);
}

const takesManyFiles = (flags: CpFlags): boolean => flags.recursive === true || flags.filesFrom !== undefined;

function upload(source: LocalOrPipe, target: Place, flags: CpFlags, session: Session): Promise<Summary> {
  const { bulk } = session;
  const expected = flags.expectedSize === undefined ? {} : { expectedSize: flags.expectedSize };
  const options = { ...uploadOptionsOf(flags, session), ...(!flags.clobber && { onlyNew: true }) };
  if (source.kind === 'pipe') {
    if (takesManyFiles(flags)) throw new UsageError('standard input is one object: remove -r and --files-from');
    if (target.prefix === '' || target.prefix.endsWith('/'))
      throw new UsageError('standard input needs a complete key: add the name of the object');
    const input = streamed(target.prefix, readStandardInput);
    return bulk.upload([{ ...input, ...expected }], target, {
      ...options,
      journal: openCleanupJournal(flags, 'cp', '-', target),
      exact: true,
    });
  }
  if (!takesManyFiles(flags) || (flags.filesFrom === undefined && isFile(source.path))) {
    if (isDirectory(source.path)) throw new UsageError(`${source.text} is a directory: add -r`);
    const key = keyForFile(target.prefix, source.path);
    const place = { ...target, prefix: key };
    const file = { ...fileSource(source.text, key, true), ...expected };
    // A stream can be read only once, so it cannot be resumed.
    const journal = file.stream === undefined ? { journal: openJournal(session, flags, 'cp', source.path, place) } : {};
    return bulk.upload([file], place, { ...options, ...journal, exact: true });
  }
  const list = nameListFrom(flags, session.run);
  if (list === undefined) checkDirectory(source);
  const filter = makeTreeFilter(source.path, flags);
  const tree = (more: WalkOptions = {}): Generator<SourceFile> =>
    walk(source.path, { symlinks: flags.symlinks, filter, ...more });
  const looking = { symlinks: flags.symlinks, ...reportSkippedFiles(session) };
  const files =
    list === undefined
      ? tree(reportSkippedFiles(session))
      : findListedFiles(list, source.path, looking, skipJournals(filter, 'upload', session));
  const survey = list === undefined && session.reporter.wantsProgress ? { survey: tree() } : {};
  const journal = openJournal(session, flags, 'cp', source.path, target);
  // Earlier runs may have begun other files than those in the list.
  const covered = list === undefined ? filter : (): boolean => false;
  const more = { ...survey, known: createHashedNames(session), filter: covered, journal };
  return bulk.upload(files, asFolder(target), { ...options, ...more });
}

async function download(source: Place, target: LocalOrPipe, flags: CpFlags, session: Session): Promise<Summary | undefined> {
  const { bulk, run } = session;
  if (target.kind === 'pipe') {
    if (takesManyFiles(flags)) throw new UsageError('standard output takes one object: remove -r and --files-from');
    if (flags.dryRun) return bulk.downloadExact(source, new FolderTarget('.'), '-', { ...run, dryRun: true });
    await writeObjects(session, [source]);
    return undefined;
  }
  // Opens the journal late, because only a download of files closes it.
  const options = () => ({
    ...run,
    ...(flags.partSize !== undefined && { partSize: flags.partSize }),
    ...(flags.dryRun && { dryRun: true }),
    ...(!flags.clobber && { onlyNew: true }),
    keepTimes: flags.times,
    ...(flags.preserveMode && { preserveMode: true }),
    journal: openJournal(session, flags, 'cp-down', target.path, source),
  });
  if (!takesManyFiles(flags)) {
    const intoFolder = target.folder || isDirectory(target.path);
    if (source.prefix === '') throw new UsageError('add -r to copy everything below a prefix');
    // The key of an object may end in a slash, but its file would replace the folder.
    if (source.prefix.endsWith('/') && intoFolder)
      throw new UsageError('add -r to copy everything below a prefix, or name a target file for an object with exactly this key');
    const full = intoFolder ? join(target.path, basename(source.prefix)) : target.path;
    const openStream = findOutputStream(full);
    if (openStream !== undefined && !flags.dryRun) {
      rejectJsonFlag(flags, 'an object is written to a pipe or a device');
      await writeObjectToStream(session, source, openStream);
      return undefined;
    }
    return bulk.downloadExact(source, new FolderTarget(dirname(full)), basename(full), options());
  }
  const filter = makeTreeFilter(target.path, flags);
  return bulk.download(asFolder(source), new FolderTarget(target.path), {
    ...options(),
    filter,
    ...listedPaths(flags, session, skipJournals(filter, 'download', session)),
  });
}

/** Returns the options of a download or copy that takes the names of a list. */
function listedPaths(flags: CpFlags, session: Session, wanted: (path: string) => boolean) {
  const list = nameListFrom(flags, session.run);
  return list === undefined ? {} : { paths: readNames(list, wanted), known: createHashedNames(session) };
}

function copyWithin(source: Place, target: Place, flags: CpFlags, session: Session): Promise<Summary> {
  const properties = objectPropertiesOf(flags);
  const options = {
    ...session.run,
    journal: openCleanupJournal(flags, 'copy', `s3://${source.bucket}/${source.prefix}`, target),
    ...(flags.dryRun && { dryRun: true }),
    ...(!flags.clobber && { onlyNew: true }),
    ...(Object.keys(properties).length > 0 && { properties }),
  };
  if (!takesManyFiles(flags))
    return session.bulk.copy(
      source,
      { ...target, prefix: keyForFile(target.prefix, source.prefix) },
      { ...options, exact: true },
    );
  const filter = makeFilter(flags.filter ?? []);
  return session.bulk.copy(asFolder(source), asFolder(target), { ...options, filter, ...listedPaths(flags, session, filter) });
}
