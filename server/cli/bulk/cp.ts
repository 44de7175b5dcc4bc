import { constants } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Command } from 'commander';
import { makeFilter } from '../../../src/bulk/list/path-filter.js';
import { FolderTarget } from '../../../src/bulk/node/files/folder-target.js';
import { fileSource, streamed, walk } from '../../../src/bulk/node/files/walk.js';
import type { WalkOptions } from '../../../src/bulk/node/files/walk.js';
import type { Place, SourceFile, Summary } from '../../../src/bulk/types.js';
import { UsageError } from '../report-failure.js';
import { cat, catInto, refuseEvents } from './cat.js';
import { entriesOf, filesFrom, knownByHash, listOf } from './files-from.js';
import { listFlags, size, transferFlags } from './flags.js';
import type { ListFlags, TransferFlags } from './flags.js';
import { shellWord } from './format.js';
import { clearingJournal, filterBelow, openJournal, tellingJournals } from './journals.js';
import { patternAdvice } from './patterns.js';
import { asFolder, checkDirectory, isDirectory, isFile, keyFor, parseSpot } from './locations.js';
import type { Spot } from './locations.js';
import { isStandardOutput, sinkAt } from './output-stream.js';
import { standardBytes } from './standard-input.js';
import { withSession } from './session.js';
import type { Session } from './session.js';
import { objectProperties, passingOver, uploadOptions } from './upload-options.js';
import { refuseUseless } from './inapplicable-flags.js';

export interface CpFlags extends TransferFlags, ListFlags {
  recursive?: true;
  expectedSize?: number;
  /** False with `--no-clobber`. */
  clobber: boolean;
}

type Local = Exclude<Spot, { kind: 's3' }>;

const EXAMPLES = `
Examples:
  svc-blob cp -r ./photos s3://main/photos --exclude '*.tmp'
  svc-blob cp s3://main/report.pdf .
  pg_dump shop | gzip | svc-blob cp - s3://main/shop.sql.gz
  find . -newer last -type f -print0 | svc-blob cp -0 --files-from - . s3://main/new

What was killed goes on where it stopped when the same command is run again.
Exit status: 0 all done, 1 something failed (listed at the end), 2 wrong use, 130 interrupted.`;

export const cpCommand = (): Command =>
  transferFlags(
    listFlags(
      new Command('cp')
        .description('copy files to S3, from S3, or within S3')
        .argument('<source>', 'a path, s3://bucket/key or - for standard input')
        .argument('<target>', 'a path, s3://bucket/key or - for standard output')
        .option('-r, --recursive', 'everything below a directory or prefix'),
      'paths',
    )
      .option('--no-clobber', 'never replace what is there')
      .option(
        '--expected-size <size>',
        'of a pipe: how long it may be at most, so that all its parts are of one size that suffices',
        size,
      ),
  )
    // A shell makes many of *.txt.
    .allowExcessArguments()
    .addHelpText('after', EXAMPLES)
    .action(async (sourceText: string, targetText: string, flags: CpFlags, command: Command) => {
      if (command.args.length > 2)
        throw new UsageError(
          `cp takes one source and one target, not ${command.args.length} places: name the directory, with -r and --include, or a list with --files-from`,
        );
      const [source, target] = [parseSpot(sourceText), parseSpot(isStandardOutput(targetText) ? '-' : targetText)];
      if (source.kind !== 's3' && target.kind !== 's3') throw new UsageError('one of the two places must be s3://bucket/prefix');
      refuseUseless(command, source, target, ['symlinks']);
      if (flags.filter !== undefined && !many(flags))
        throw new UsageError('--include and --exclude go with -r or --files-from: one file is taken or not');
      if (target.kind === 'pipe' && !flags.dryRun) refuseEvents(flags);
      // A pipe that is the target did not take all; this is what a shell says of a broken one.
      const unread = target.kind === 'pipe' ? { unread: 128 + constants.signals.SIGPIPE } : {};
      const pattern = patternAdvice(sourceText, (folder) =>
        target.kind === 'pipe' ? `ls -r ${folder}` : `cp -r ${folder} ${shellWord(targetText)}`,
      );
      await withSession({ ...flags, ...unread, patternAdvice: pattern }, async (session) => {
        const summary = await copy(source, target, flags, session);
        if (summary !== undefined) session.reporter.summary(summary, 'copy', flags.dryRun);
      });
    });

function copy(source: Spot, target: Spot, flags: CpFlags, session: Session): Promise<Summary | undefined> {
  if (source.kind !== 's3') return up(source, target as Place, flags, session);
  if (target.kind !== 's3') return down(source, target, flags, session);
  return within(source, target, flags, session);
}

const many = (flags: CpFlags): boolean => flags.recursive === true || flags.filesFrom !== undefined;

function up(source: Local, target: Place, flags: CpFlags, session: Session): Promise<Summary> {
  const { bulk } = session;
  const expected = flags.expectedSize === undefined ? {} : { expectedSize: flags.expectedSize };
  const options = { ...uploadOptions(flags, session), ...(!flags.clobber && { onlyNew: true }) };
  if (source.kind === 'pipe') {
    if (many(flags)) throw new UsageError('standard input is one object: it goes without -r and --files-from');
    if (target.prefix === '' || target.prefix.endsWith('/'))
      throw new UsageError('say the whole key for what comes from standard input');
    const input = streamed(target.prefix, standardBytes);
    return bulk.upload([{ ...input, ...expected }], target, {
      ...options,
      journal: clearingJournal(flags, 'cp', '-', target),
      exact: true,
    });
  }
  if (!many(flags) || (flags.filesFrom === undefined && isFile(source.path))) {
    if (isDirectory(source.path)) throw new UsageError(`${source.text} is a directory: add -r`);
    const key = keyFor(target.prefix, source.path);
    const place = { ...target, prefix: key };
    const file = { ...fileSource(source.text, key, true), ...expected };
    // What can be read but once cannot be gone on with.
    const journal = file.stream === undefined ? { journal: openJournal(session, flags, 'cp', source.path, place) } : {};
    return bulk.upload([file], place, { ...options, ...journal, exact: true });
  }
  const list = listOf(flags, session.run);
  if (list === undefined) checkDirectory(source);
  const filter = filterBelow(source.path, flags);
  const tree = (more: WalkOptions = {}): Generator<SourceFile> =>
    walk(source.path, { symlinks: flags.symlinks, filter, ...more });
  const looking = { symlinks: flags.symlinks, ...passingOver(session) };
  const files =
    list === undefined
      ? tree(passingOver(session))
      : filesFrom(list, source.path, looking, tellingJournals(filter, 'upload', session));
  const survey = list === undefined && session.reporter.wantsProgress ? { survey: tree() } : {};
  const journal = openJournal(session, flags, 'cp', source.path, target);
  // A list names some of what earlier runs may have begun.
  const covered = list === undefined ? filter : (): boolean => false;
  const more = { ...survey, known: knownByHash(session), filter: covered, journal };
  return bulk.upload(files, asFolder(target), { ...options, ...more });
}

async function down(source: Place, target: Local, flags: CpFlags, session: Session): Promise<Summary | undefined> {
  const { bulk, run } = session;
  if (target.kind === 'pipe') {
    if (many(flags)) throw new UsageError('standard output takes one object');
    if (flags.dryRun) return bulk.downloadExact(source, new FolderTarget('.'), '-', { ...run, dryRun: true });
    await cat(session, [source]);
    return undefined;
  }
  // Not before it is known that files come down: only their download closes the journal.
  const options = () => ({
    ...run,
    ...(flags.partSize !== undefined && { partSize: flags.partSize }),
    ...(flags.dryRun && { dryRun: true }),
    ...(!flags.clobber && { onlyNew: true }),
    keepTimes: flags.times,
    ...(flags.preserveMode && { preserveMode: true }),
    journal: openJournal(session, flags, 'cp-down', target.path, source),
  });
  if (!many(flags)) {
    const intoFolder = target.folder || isDirectory(target.path);
    if (source.prefix === '') throw new UsageError('add -r to copy everything below a prefix');
    // An object may be called so as well, but it would stand in the place of that folder.
    if (source.prefix.endsWith('/') && intoFolder)
      throw new UsageError('add -r to copy everything below a prefix, or name a file for an object of that very key');
    const full = intoFolder ? join(target.path, basename(source.prefix)) : target.path;
    const sink = sinkAt(full);
    if (sink !== undefined && !flags.dryRun) {
      refuseEvents(flags, 'an object goes into a pipe or a device');
      await catInto(session, source, sink);
      return undefined;
    }
    return bulk.downloadExact(source, new FolderTarget(dirname(full)), basename(full), options());
  }
  const filter = filterBelow(target.path, flags);
  return bulk.download(asFolder(source), new FolderTarget(target.path), {
    ...options(),
    filter,
    ...pathsOf(flags, session, tellingJournals(filter, 'download', session)),
  });
}

/** What a list names of a prefix. */
function pathsOf(flags: CpFlags, session: Session, wanted: (path: string) => boolean) {
  const list = listOf(flags, session.run);
  return list === undefined ? {} : { paths: entriesOf(list, wanted), known: knownByHash(session) };
}

function within(source: Place, target: Place, flags: CpFlags, session: Session): Promise<Summary> {
  const properties = objectProperties(flags);
  const options = {
    ...session.run,
    journal: clearingJournal(flags, 'copy', `s3://${source.bucket}/${source.prefix}`, target),
    ...(flags.dryRun && { dryRun: true }),
    ...(!flags.clobber && { onlyNew: true }),
    ...(Object.keys(properties).length > 0 && { properties }),
  };
  if (!many(flags))
    return session.bulk.copy(source, { ...target, prefix: keyFor(target.prefix, source.prefix) }, { ...options, exact: true });
  const filter = makeFilter(flags.filter ?? []);
  return session.bulk.copy(asFolder(source), asFolder(target), { ...options, filter, ...pathsOf(flags, session, filter) });
}
