import { Command } from 'commander';
import { makeFilter } from '../../../src/bulk/list/path-filter.js';
import type { PathFilter } from '../../../src/bulk/list/path-filter.js';
import { FolderTarget } from '../../../src/bulk/node/files/folder-target.js';
import { walk } from '../../../src/bulk/node/files/walk.js';
import { keyProblem, localPath } from '../../../src/bulk/s3/object-keys.js';
import type { Comparison } from '../../../src/bulk/sync/compare.js';
import type { SyncOptions } from '../../../src/bulk/sync/sync-options.js';
import type { Place, Summary } from '../../../src/bulk/types.js';
import { UsageError } from '../errors.js';
import { parseCount } from './flag-parsers.js';
import { addListFlags, addTransferFlags } from './flags.js';
import type { ListFlags, TransferFlags } from './flags.js';
import { quoteIfNeeded } from './format.js';
import { rejectInapplicableFlags } from './inapplicable-flags.js';
import { makeTreeFilter, openCleanupJournal, openJournal, skipJournals } from './journals.js';
import { findExistingFiles } from './listed-files.js';
import { asFolder, checkDirectory, parseLocation } from './locations.js';
import type { LocalLocation, Location } from './locations.js';
import { nameListFrom, readSortedNames } from './name-list.js';
import type { SortedNamesOptions } from './name-list.js';
import { adviseOnPattern, requireMatch } from './pattern-advice.js';
import { withSession } from './session.js';
import type { Session } from './session.js';
import { objectPropertiesOf, reportSkippedFiles, uploadOptionsOf } from './upload-options.js';

interface SyncFlags extends TransferFlags, ListFlags {
  delete?: true;
  maxDelete?: number;
  sizeOnly?: true;
  checksum?: true;
}

const EXAMPLES = `
Examples:
  svc-blob sync ./site s3://main/site --delete --dry-run
  svc-blob sync s3://main/site ./site --exclude 'drafts/'
  svc-blob sync s3://main/site s3://backup/site

Two files are equal if their sizes and modification times are equal. Uploads record the time in metadata that rclone reads, too.
With --files-from, sync ignores names that are not in the list, and names that exist on neither side.
With --delete, sync keeps files that a filter or --symlinks skip excludes. It deletes nothing if a file could not be read or
copied, or if the source has no files at all: its disk may be unmounted, or its prefix mistyped. To empty the target on
purpose, set --max-delete.`;

export const syncCommand = (): Command =>
  addTransferFlags(
    addListFlags(
      new Command('sync')
        .description('Make one location match another')
        .argument('<source>', 'directory or s3://bucket/prefix')
        .argument('<target>', 'directory or s3://bucket/prefix'),
      'paths',
    )
      .option('--delete', 'at the end, delete files from the target that the source does not have')
      .option(
        '--max-delete <n>',
        'with --delete, delete nothing if more than this many files would be deleted',
        parseCount(0, Number.MAX_SAFE_INTEGER),
      )
      .option('--size-only', 'compare sizes only, not modification times')
      .option('--checksum', 'compare contents by checksum, not modification times'),
  )
    .addHelpText('after', EXAMPLES)
    .action(async (sourceText: string, targetText: string, flags: SyncFlags, command: Command) => {
      const [source, target] = [parseLocation(sourceText), parseLocation(targetText)];
      if (source.kind === 'pipe' || target.kind === 'pipe') throw new UsageError('sync needs directories or prefixes, not -');
      if (source.kind === 'local' && target.kind === 'local') throw new UsageError('source or target must be s3://bucket/prefix');
      rejectInapplicableFlags(command, source, target);
      if (flags.maxDelete !== undefined && !flags.delete) throw new UsageError('--max-delete needs --delete');
      if (flags.sizeOnly && flags.checksum) throw new UsageError('use either --size-only or --checksum, not both');
      const pattern = adviseOnPattern(sourceText, (folder) => `sync ${folder} ${quoteIfNeeded(targetText)}`);
      await withSession({ ...flags, patternAdvice: pattern }, async (session) => {
        const summary = await sync(source, target, flags, session);
        session.reporter.reportSummary(summary, 'copy', { dryRun: flags.dryRun });
        const { files, skipped, deleted, failed } = summary;
        requireMatch(files + skipped + deleted + failed, sourceText, pattern);
      });
    });

type SyncLocation = Exclude<Location, { kind: 'pipe' }>;

function sync(source: SyncLocation, target: SyncLocation, flags: SyncFlags, session: Session): Promise<Summary> {
  if (source.kind === 'local') return syncUp(source, target as Place, flags, session);
  if (target.kind === 'local') return syncDown(source, target, flags, session);
  return syncWithinS3(source, target, flags, session);
}

async function syncUp(source: LocalLocation, target: Place, flags: SyncFlags, session: Session): Promise<Summary> {
  const filter = makeTreeFilter(source.path, flags);
  const matches = skipJournals(filter, 'upload', session);
  const paths = await readPaths(flags, session, { root: source.path, matches });
  const findOptions = { symlinks: flags.symlinks, ...reportSkippedFiles(session), skippedLinks: true };
  const openTree = () =>
    paths
      ? findExistingFiles(paths(), source.path, findOptions)
      : walk(source.path, { ...findOptions, filter, sorted: true, leftOvers: false });
  if (!paths) checkDirectory(source);
  const place = asFolder(target);
  const journal = openJournal(session, flags, { kind: 'sync', otherSide: source.path, place });
  // The survey counts the files, so that the progress can show a percentage.
  const hasSurvey = !paths && session.reporter.wantsProgress;
  return session.bulk.syncUp(openTree, place, {
    ...uploadOptionsOf(flags, session),
    ...(hasSurvey && { survey: walk(source.path, { symlinks: flags.symlinks, filter }) }),
    ...commonOptions(flags, session, filter, paths),
    journal,
  });
}

async function syncDown(source: Place, target: LocalLocation, flags: SyncFlags, session: Session): Promise<Summary> {
  const filter = makeTreeFilter(target.path, flags);
  const matches = skipJournals(filter, 'download', session);
  const paths = await readPaths(flags, session, { root: undefined, matches, problemOf: pathProblem });
  const findOptions = { symlinks: flags.symlinks };
  const openTree = () =>
    paths
      ? findExistingFiles(paths(), target.path, findOptions)
      : walk(target.path, { ...findOptions, filter, sorted: true, leftOvers: true });
  const place = asFolder(source);
  const journal = openJournal(session, flags, { kind: 'sync-down', otherSide: target.path, place });
  return session.bulk.syncDown(place, new FolderTarget(target.path), openTree, {
    ...commonOptions(flags, session, filter, paths),
    keepTimes: flags.times,
    ...(flags.preserveMode && { preserveMode: true }),
    ...(flags.partSize !== undefined && { partSize: flags.partSize }),
    journal,
  });
}

async function syncWithinS3(source: Place, target: Place, flags: SyncFlags, session: Session): Promise<Summary> {
  const filter = makeFilter(flags.filter ?? []);
  const paths = await readPaths(flags, session, { root: undefined, matches: filter });
  const properties = objectPropertiesOf(flags);
  const [from, to] = [asFolder(source), asFolder(target)];
  const journal = openCleanupJournal(flags, { kind: 'sync-within', otherSide: `s3://${from.bucket}/${from.prefix}`, place: to });
  return session.bulk.syncWithin(from, to, {
    ...commonOptions(flags, session, filter, paths),
    journal,
    ...(Object.keys(properties).length > 0 && { properties }),
  });
}

/** Reads the names of `--files-from`. @returns undefined without the flag */
async function readPaths(
  flags: SyncFlags,
  session: Session,
  options: SortedNamesOptions,
): Promise<(() => Iterable<string>) | undefined> {
  const list = nameListFrom(flags, session.runOptions);
  return list && readSortedNames(session, list, options);
}

function commonOptions(
  flags: SyncFlags,
  session: Session,
  filter: PathFilter,
  paths: (() => Iterable<string>) | undefined,
): SyncOptions {
  const compare: Comparison = flags.checksum ? 'checksum' : flags.sizeOnly ? 'size' : 'times';
  return {
    ...session.runOptions,
    compare,
    filter,
    ...(paths && { paths }),
    ...(flags.delete && { delete: true }),
    ...(flags.maxDelete !== undefined && { maxDelete: flags.maxDelete }),
    ...(flags.dryRun && { dryRun: true }),
  };
}

/** Returns the reason why an object of this name cannot be downloaded to a directory. */
function pathProblem(name: string): string | undefined {
  const local = localPath(name);
  return 'problem' in local ? local.problem : keyProblem(name);
}
