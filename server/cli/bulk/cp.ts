import { Command } from 'commander';
import { contentTypeOf } from '../../../src/s3/content-types.js';
import { makeFilter } from '../../../src/s3/filter.js';
import { fileSource, walk } from '../../../src/s3/node/walk.js';
import type { SourceFile, Summary } from '../../../src/s3/types.js';
import { UsageError } from '../report.js';
import { filesFrom } from './files-from.js';
import { transferFlags } from './flags.js';
import type { TransferFlags } from './flags.js';
import { openJournal } from './journals.js';
import { asFolder, isDirectory, keyFor, parseSpot } from './places.js';
import type { Spot } from './places.js';
import { withSession } from './session.js';
import type { Session } from './session.js';
import { uploadOptions } from './upload-options.js';

export interface CpFlags extends TransferFlags {
  recursive?: true;
  filesFrom?: string;
  /** False with `--no-clobber`. */
  clobber: boolean;
}

export const cpCommand = (): Command =>
  transferFlags(new Command('cp'))
    .description('copy files to S3, from S3, or within S3')
    .argument('<source>', 'a path, s3://bucket/key or - for standard input')
    .argument('<target>', 'a path, s3://bucket/key or - for standard output')
    .option('-r, --recursive', 'everything below a directory or prefix')
    .option('--files-from <file>', 'only the paths of this list, one a line; - reads it from standard input')
    .option('--no-clobber', 'never replace what is there')
    .action((source: string, target: string, flags: CpFlags) =>
      withSession(flags, async (session) => {
        const summary = await copy(parseSpot(source), parseSpot(target), flags, session);
        session.reporter.summary(summary, flags.dryRun ? 'would copy' : 'copied');
      }),
    );

function copy(source: Spot, target: Spot, flags: CpFlags, session: Session): Promise<Summary> {
  if (source.kind !== 's3' && target.kind === 's3') return up(source, target, flags, session);
  throw new UsageError('one of the two places must be s3://bucket/prefix');
}

function up(
  source: Exclude<Spot, { kind: 's3' }>,
  target: Extract<Spot, { kind: 's3' }>,
  flags: CpFlags,
  session: Session,
): Promise<Summary> {
  const { bulk } = session;
  const options = { ...uploadOptions(flags, session), ...(flags.clobber ? {} : { onlyNew: true }) };
  if (source.kind === 'pipe') {
    if (target.prefix === '' || target.prefix.endsWith('/'))
      throw new UsageError('say the whole key for what comes from standard input');
    const input: SourceFile = { path: target.prefix, size: null, stream: () => process.stdin };
    return bulk.upload([input], target, { ...options, exact: true });
  }
  const journal = openJournal(flags, 'cp', source.path, target);
  if (!flags.recursive && flags.filesFrom === undefined) {
    if (isDirectory(source.path)) throw new UsageError(`${source.path} is a directory: add -r`);
    const key = keyFor(target.prefix, source.path);
    return bulk.upload([fileSource(source.path, key)], { ...target, prefix: key }, { ...options, journal, exact: true });
  }
  const filter = makeFilter(flags.filter ?? []);
  const files =
    flags.filesFrom === undefined
      ? walk(source.path, { symlinks: flags.symlinks, filter })
      : filesFrom(flags.filesFrom, source.path, filter);
  return bulk.upload(files, { ...target, prefix: asFolder(target.prefix) }, { ...options, journal, contentType: contentTypeOf });
}
