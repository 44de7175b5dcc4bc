import type { SyncOptions } from '../../../src/bulk/sync/sync-options.js';
import { Command } from 'commander';
import type { Comparison } from '../../../src/bulk/sync/compare.js';
import { makeFilter } from '../../../src/bulk/list/path-filter.js';
import { keyProblem, localPath } from '../../../src/bulk/s3/object-keys.js';
import { FolderTarget } from '../../../src/bulk/node/files/folder-target.js';
import { walk } from '../../../src/bulk/node/files/walk.js';
import type { Place, Summary } from '../../../src/bulk/types.js';
import { UsageError } from '../report-failure.js';
import { filesNamed, listOf, sortedFrom } from './files-from.js';
import { count, listFlags, transferFlags } from './flags.js';
import type { ListFlags, TransferFlags } from './flags.js';
import { shellWord } from './format.js';
import { clearingJournal, filterBelow, openJournal, tellingJournals } from './journals.js';
import { patternAdvice, refuseIdle } from './patterns.js';
import { asFolder, checkDirectory, parseSpot } from './locations.js';
import type { Spot } from './locations.js';
import { withSession } from './session.js';
import type { Session } from './session.js';
import { objectProperties, passingOver, uploadOptions } from './upload-options.js';
import { refuseUseless } from './inapplicable-flags.js';

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

Files are the same when size and modification time are: uploads keep the time in the metadata that rclone reads.
With --files-from, names that the list has not are left alone on both sides, and so are those that neither side has.
With --delete, what a filter or --symlinks skip leaves out is spared, and nothing is removed when anything could not
be read or copied. Nor is it when the source has no file, or none of a list: a disk that is not mounted, a mistyped prefix.
--max-delete says that it may be.`;

export const syncCommand = (): Command =>
  transferFlags(
    listFlags(
      new Command('sync')
        .description('make one place hold what the other holds')
        .argument('<source>', 'a directory or s3://bucket/prefix')
        .argument('<target>', 'a directory or s3://bucket/prefix'),
      'paths',
    )
      .option('--delete', 'remove from the target what the source has not, at the end')
      .option('--max-delete <n>', 'delete nothing where more than that would go', count(0, Number.MAX_SAFE_INTEGER))
      .option('--size-only', 'compare sizes and nothing else')
      .option('--checksum', 'compare every byte, by checksum'),
  )
    .addHelpText('after', EXAMPLES)
    .action(async (sourceText: string, targetText: string, flags: SyncFlags, command: Command) => {
      const [source, target] = [parseSpot(sourceText), parseSpot(targetText)];
      if (source.kind === 'pipe' || target.kind === 'pipe') throw new UsageError('a sync goes between directories and prefixes');
      if (source.kind === 'local' && target.kind === 'local')
        throw new UsageError('one of the two places must be s3://bucket/prefix');
      refuseUseless(command, source, target);
      if (flags.maxDelete !== undefined && !flags.delete) throw new UsageError('--max-delete goes with --delete');
      if (flags.sizeOnly && flags.checksum) throw new UsageError('--size-only and --checksum exclude one another');
      const pattern = patternAdvice(sourceText, (folder) => `sync ${folder} ${shellWord(targetText)}`);
      await withSession({ ...flags, patternAdvice: pattern }, async (session) => {
        const summary = await sync(source, target, flags, session);
        session.reporter.summary(summary, 'copy', flags.dryRun);
        const { files, skipped, deleted, failed } = summary;
        refuseIdle(files + skipped + deleted + failed, sourceText, pattern);
      });
    });

/** Why no object of that name could come to a directory. */
function pathProblem(name: string): string | undefined {
  const local = localPath(name);
  return 'problem' in local ? local.problem : keyProblem(name);
}

type Spotted = Exclude<Spot, { kind: 'pipe' }>;

async function sync(source: Spotted, target: Spotted, flags: SyncFlags, session: Session): Promise<Summary> {
  const { bulk } = session;
  const compare: Comparison = flags.checksum ? 'checksum' : flags.sizeOnly ? 'size' : 'times';
  const local = source.kind === 'local' ? source : target.kind === 'local' ? target : undefined;
  const below = local && filterBelow(local.path, flags);
  const filter = below ?? makeFilter(flags.filter ?? []);
  const list = listOf(flags, session.run);
  const paths =
    list &&
    (await sortedFrom(
      session,
      list,
      source.kind === 'local' ? source.path : undefined,
      below ? tellingJournals(below, source.kind === 'local' ? 'upload' : 'download', session) : filter,
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
  const looking = { symlinks: flags.symlinks, ...(source.kind === 'local' && { ...passingOver(session), skippedLinks: true }) };
  const tree =
    (path: string, leftOvers = false) =>
    () =>
      paths ? filesNamed(paths(), path, looking) : walk(path, { ...looking, filter, sorted: true, leftOvers });
  if (source.kind === 'local') {
    if (!paths) checkDirectory(source);
    const to = asFolder(target as Place);
    const journal = openJournal(session, flags, 'sync', source.path, to);
    const survey =
      !paths && session.reporter.wantsProgress ? { survey: walk(source.path, { symlinks: flags.symlinks, filter }) } : {};
    return bulk.syncUp(tree(source.path), to, { ...uploadOptions(flags, session), ...survey, ...common, journal });
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
  const properties = objectProperties(flags);
  return bulk.syncWithin(asFolder(source), asFolder(target), {
    ...common,
    journal: clearingJournal(flags, 'sync-within', `s3://${source.bucket}/${asFolder(source).prefix}`, asFolder(target)),
    ...(Object.keys(properties).length > 0 && { properties }),
  });
}
