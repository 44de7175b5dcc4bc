import type { SyncOptions } from '../../../src/bulk/sync/sync-options.js';
import { Command } from 'commander';
import type { Comparison } from '../../../src/bulk/sync/compare.js';
import { makeFilter } from '../../../src/bulk/list/path-filter.js';
import { keyProblem, localPath } from '../../../src/bulk/s3/object-keys.js';
import { FolderTarget } from '../../../src/bulk/node/files/folder-target.js';
import { walk } from '../../../src/bulk/node/files/walk.js';
import type { Place, Summary } from '../../../src/bulk/types.js';
import { UsageError } from '../errors.js';
import { findExistingFiles, nameListFrom, readSortedNames } from './name-list.js';
import { parseCount, addListFlags, addTransferFlags } from './flags.js';
import type { ListFlags, TransferFlags } from './flags.js';
import { quoteIfNeeded } from './format.js';
import { openCleanupJournal, makeTreeFilter, openJournal, skipJournals } from './journals.js';
import { adviseOnPattern, requireMatch } from './pattern-advice.js';
import { asFolder, checkDirectory, parseLocation } from './locations.js';
import type { Location } from './locations.js';
import { withSession } from './session.js';
import type { Session } from './session.js';
import { objectPropertiesOf, reportSkippedFiles, uploadOptionsOf } from './upload-options.js';
import { rejectInapplicableFlags } from './inapplicable-flags.js';

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

Files are equal if size and modification time are. Uploads keep the time in metadata that rclone reads as well.
With --files-from, sync ignores names that are not in the list, and names that exist on neither side.
With --delete, sync keeps files that a filter or --symlinks skip excludes. It deletes nothing if anything could not be read
or copied, or if the source has no files at all: a disk may be unmounted, or a prefix mistyped. --max-delete allows the latter.`;

export const syncCommand = (): Command =>
  addTransferFlags(
    addListFlags(
      new Command('sync')
        .description('make one location match another')
        .argument('<source>', 'directory or s3://bucket/prefix')
        .argument('<target>', 'directory or s3://bucket/prefix'),
      'paths',
    )
      .option('--delete', 'at the end, delete files from the target that the source does not have')
      .option(
        '--max-delete <n>',
        'delete nothing if more files than this would be deleted',
        parseCount(0, Number.MAX_SAFE_INTEGER),
      )
      .option('--size-only', 'compare sizes only')
      .option('--checksum', 'compare contents by checksum'),
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
        session.reporter.reportSummary(summary, 'copy', flags.dryRun);
        const { files, skipped, deleted, failed } = summary;
        requireMatch(files + skipped + deleted + failed, sourceText, pattern);
      });
    });

/** Returns the reason why an object of this name cannot be downloaded to a directory. */
function pathProblem(name: string): string | undefined {
  const local = localPath(name);
  return 'problem' in local ? local.problem : keyProblem(name);
}

type SyncLocation = Exclude<Location, { kind: 'pipe' }>;

async function sync(source: SyncLocation, target: SyncLocation, flags: SyncFlags, session: Session): Promise<Summary> {
  const { bulk } = session;
  const compare: Comparison = flags.checksum ? 'checksum' : flags.sizeOnly ? 'size' : 'times';
  const local = source.kind === 'local' ? source : target.kind === 'local' ? target : undefined;
  const treeFilter = local && makeTreeFilter(local.path, flags);
  const filter = treeFilter ?? makeFilter(flags.filter ?? []);
  const list = nameListFrom(flags, session.run);
  const paths =
    list &&
    (await readSortedNames(
      session,
      list,
      source.kind === 'local' ? source.path : undefined,
      treeFilter ? skipJournals(treeFilter, source.kind === 'local' ? 'upload' : 'download', session) : filter,
      target.kind === 'local' ? pathProblem : keyProblem,
    ));
  const common: SyncOptions = {
    ...session.run,
    compare,
    filter,
    ...(paths && { paths }),
    ...(flags.delete && { delete: true }),
    ...(flags.maxDelete !== undefined && { maxDelete: flags.maxDelete }),
    ...(flags.dryRun && { dryRun: true }),
  };
  const looking = {
    symlinks: flags.symlinks,
    ...(source.kind === 'local' && { ...reportSkippedFiles(session), skippedLinks: true }),
  };
  const tree =
    (path: string, leftOvers = false) =>
    () =>
      paths ? findExistingFiles(paths(), path, looking) : walk(path, { ...looking, filter, sorted: true, leftOvers });
  if (source.kind === 'local') {
    if (!paths) checkDirectory(source);
    const to = asFolder(target as Place);
    const journal = openJournal(session, flags, 'sync', source.path, to);
    const survey =
      !paths && session.reporter.wantsProgress ? { survey: walk(source.path, { symlinks: flags.symlinks, filter }) } : {};
    return bulk.syncUp(tree(source.path), to, { ...uploadOptionsOf(flags, session), ...survey, ...common, journal });
  }
  if (target.kind === 'local') {
    const journal = openJournal(session, flags, 'sync-down', target.path, asFolder(source));
    const more = {
      keepTimes: flags.times,
      ...(flags.preserveMode && { preserveMode: true }),
      ...(flags.partSize !== undefined && { partSize: flags.partSize }),
    };
    return bulk.syncDown(asFolder(source), new FolderTarget(target.path), tree(target.path, true), {
      ...common,
      ...more,
      journal,
    });
  }
  const properties = objectPropertiesOf(flags);
  return bulk.syncWithin(asFolder(source), asFolder(target), {
    ...common,
    journal: openCleanupJournal(flags, 'sync-within', `s3://${source.bucket}/${asFolder(source).prefix}`, asFolder(target)),
    ...(Object.keys(properties).length > 0 && { properties }),
  });
}
