import { constants } from 'node:os';
import { Command } from 'commander';
import { makeFilter } from '../../../src/bulk/list/path-filter.js';
import type { Place, Summary } from '../../../src/bulk/types.js';
import { UsageError } from '../errors.js';
import { rejectJsonFlag } from './cat.js';
import { download } from './cp-download.js';
import { takesManyFiles } from './cp-flags.js';
import type { CpFlags } from './cp-flags.js';
import { upload } from './cp-upload.js';
import { parseSizeFlag } from './flag-parsers.js';
import { addListFlags, addTransferFlags } from './flags.js';
import { quoteIfNeeded } from './format.js';
import { rejectInapplicableFlags } from './inapplicable-flags.js';
import { openCleanupJournal } from './journals.js';
import { asFolder, keyForFile, parseLocation } from './locations.js';
import type { Location } from './locations.js';
import { listedPaths } from './name-list.js';
import { isStandardOutput } from './output-stream.js';
import { adviseOnPattern } from './pattern-advice.js';
import { withSession } from './session.js';
import type { Session } from './session.js';
import { objectPropertiesOf } from './upload-options.js';

const EXAMPLES = `
Examples:
  svc-blob cp -r ./photos s3://main/photos --exclude '*.tmp'
  svc-blob cp s3://main/report.pdf .
  pg_dump shop | gzip | svc-blob cp - s3://main/shop.sql.gz
  find . -newer last -type f -print0 | svc-blob cp -0 --files-from - . s3://main/new

To resume an interrupted transfer, run the same command again.
Exit status: 0 all done, 1 something failed (listed at the end), 2 invalid use, 130 interrupted.`;

/** The exit status that shells give a command after SIGPIPE. */
const BROKEN_PIPE_STATUS = 128 + constants.signals.SIGPIPE;

export const cpCommand = (): Command =>
  addTransferFlags(
    addListFlags(
      new Command('cp')
        .description('Copy files to S3, from S3, or within S3')
        .argument('<source>', 'path, s3://bucket/key, or - for standard input')
        .argument('<target>', 'path, s3://bucket/key, or - for standard output')
        .option('-r, --recursive', 'copy everything below a directory or prefix'),
      'paths',
    )
      .option('--no-clobber', 'do not replace existing files or objects')
      .option('--expected-size <size>', 'upper bound of the size of piped input; sets the part size', parseSizeFlag),
  )
    // A shell expands *.txt to many arguments. The action explains what to do instead.
    .allowExcessArguments()
    .addHelpText('after', EXAMPLES)
    .action(async (sourceText: string, targetText: string, flags: CpFlags, command: Command) => {
      rejectExcessArguments(command);
      const source = parseLocation(sourceText);
      const target = parseLocation(isStandardOutput(targetText) ? '-' : targetText);
      rejectInvalidUse(command, source, target, flags);
      const pattern = adviseOnPattern(sourceText, (folder) =>
        target.kind === 'pipe' ? `ls -r ${folder}` : `cp -r ${folder} ${quoteIfNeeded(targetText)}`,
      );
      const brokenPipe = target.kind === 'pipe' ? { brokenPipeStatus: BROKEN_PIPE_STATUS } : {};
      await withSession({ ...flags, ...brokenPipe, patternAdvice: pattern }, async (session) => {
        const summary = await copy(source, target, flags, session);
        if (summary !== undefined) session.reporter.reportSummary(summary, 'copy', { dryRun: flags.dryRun });
      });
    });

/** @throws UsageError */
function rejectExcessArguments({ args }: Command): void {
  if (args.length > 2)
    throw new UsageError(
      `cp takes one source and one target, not ${args.length} arguments: use the directory with -r and --include, or a list with --files-from`,
    );
}

/** @throws UsageError */
function rejectInvalidUse(command: Command, source: Location, target: Location, flags: CpFlags): void {
  if (source.kind !== 's3' && target.kind !== 's3') throw new UsageError('source or target must be s3://bucket/prefix');
  rejectInapplicableFlags(command, source, target, ['symlinks']);
  if (flags.filter !== undefined && !takesManyFiles(flags))
    throw new UsageError('--include and --exclude need -r or --files-from');
  if (target.kind === 'pipe' && !flags.dryRun) rejectJsonFlag(flags);
}

/** @returns undefined if the contents of an object were written to a pipe or a device */
function copy(source: Location, target: Location, flags: CpFlags, session: Session): Promise<Summary | undefined> {
  if (source.kind !== 's3') return upload(source, target as Place, flags, session);
  if (target.kind !== 's3') return download(source, target, flags, session);
  return copyWithinS3(source, target, flags, session);
}

function copyWithinS3(source: Place, target: Place, flags: CpFlags, session: Session): Promise<Summary> {
  const { bulk, runOptions } = session;
  const properties = objectPropertiesOf(flags);
  const options = {
    ...runOptions,
    journal: openCleanupJournal(flags, { kind: 'copy', otherSide: `s3://${source.bucket}/${source.prefix}`, place: target }),
    ...(flags.dryRun && { dryRun: true }),
    ...(!flags.clobber && { onlyNew: true }),
    ...(Object.keys(properties).length > 0 && { properties }),
  };
  if (!takesManyFiles(flags)) {
    const targetObject = { ...target, prefix: keyForFile(target.prefix, source.prefix) };
    return bulk.copy(source, targetObject, { ...options, exact: true });
  }
  const filter = makeFilter(flags.filter ?? []);
  return bulk.copy(asFolder(source), asFolder(target), { ...options, filter, ...listedPaths(flags, session, filter) });
}
