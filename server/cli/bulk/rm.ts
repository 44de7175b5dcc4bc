import { Command } from 'commander';
import { makeFilter } from '../../../src/bulk/list/path-filter.js';
import type { Place, Summary } from '../../../src/bulk/types.js';
import { UsageError } from '../report-failure.js';
import { entriesOf, listOf } from './files-from.js';
import { age, connectionFlags, filterFlags, listFlags } from './flags.js';
import type { CommonFlags, FilterFlags, ListFlags } from './flags.js';
import { patternAdvice, refuseIdle } from './patterns.js';
import { asFolder, s3Spot } from './locations.js';
import { withSession } from './session.js';
import type { Session } from './session.js';

interface RmFlags extends CommonFlags, FilterFlags, ListFlags {
  recursive?: true;
  dryRun?: true;
  incomplete?: true;
  olderThan?: number;
}

const DAY_MS = 86_400_000;

const EXAMPLES = `
Examples:
  svc-blob rm s3://main/report.pdf
  svc-blob rm -r s3://main/photos --include '*.tmp' --dry-run
  svc-blob rm --incomplete s3://main --older-than 7d

A key is taken to the letter, * and ? as well; what matches a pattern goes with -r and --include. Exit status 0 also where a key
was not there, unless it looks like a pattern.`;

export const rmCommand = (): Command =>
  connectionFlags(
    filterFlags(
      listFlags(
        new Command('rm')
          .description('delete objects')
          .argument('<place>', 's3://bucket/key, or s3://bucket/prefix with -r')
          .option('-r, --recursive', 'everything below the prefix')
          .option('-n, --dry-run', 'say what would be deleted and do nothing'),
        'keys below the prefix',
      )
        .option('--incomplete', 'no objects, but uploads in parts that were begun and not ended, of a bucket alone all of them')
        .option('--older-than <age>', 'of those, only what was begun so long ago: 12h, 7d, 0 for all (default: 1d)', age),
    ),
  )
    .addHelpText('after', EXAMPLES)
    .action((text: string, flags: RmFlags) => {
      const place = s3Spot(text);
      if (place.prefix === '' && flags.incomplete) flags.recursive = true;
      if (place.prefix === '' && !flags.recursive && flags.filesFrom === undefined)
        throw new UsageError(`${text}: add -r to delete all of a bucket`);
      if (!flags.recursive && flags.filesFrom === undefined && flags.filter !== undefined)
        throw new UsageError('--include and --exclude go with -r or --files-from');
      if (flags.incomplete && flags.filesFrom !== undefined) throw new UsageError('--incomplete takes no --files-from');
      if (!flags.incomplete && flags.olderThan !== undefined) throw new UsageError('--older-than goes with --incomplete');
      const listed = flags.filesFrom !== undefined;
      const verb = flags.incomplete ? 'rm -r --incomplete' : 'rm -r';
      const pattern = listed ? undefined : patternAdvice(text, (folder) => `${verb} ${folder}`);
      return withSession({ ...flags, action: 'delete', patternAdvice: pattern }, async (session) => {
        const summary = await (flags.incomplete ? endUnfinished : remove)(place, flags, session);
        session.reporter.summary(summary, 'delete', flags.dryRun, listed);
        refuseIdle(summary.deleted + summary.failed, text, pattern);
      });
    });

function remove(place: Place, flags: RmFlags, { bulk, run }: Session): Promise<Summary> {
  const options = { ...run, ...(flags.dryRun && { dryRun: true }) };
  const { prefix } = asFolder(place);
  const filter = makeFilter(flags.filter ?? []);
  const list = listOf(flags, run);
  if (list !== undefined) {
    // To the letter: who lists a key ./x, which no request reaches, does not mean x.
    const keys = entriesOf(list, filter, (line) => line);
    return bulk.delete(place, { ...options, keys: below(prefix, keys) });
  }
  if (!flags.recursive) return bulk.delete(place, { ...options, exact: true });
  return bulk.delete(asFolder(place), { ...options, filter: (entry) => filter(entry.key.slice(prefix.length)) });
}

/** Not those of a moment ago: somebody may still be sending their parts. */
function endUnfinished(place: Place, flags: RmFlags, { bulk, run }: Session): Promise<Summary> {
  const before = flags.olderThan === 0 ? Infinity : bulk.store.now() - (flags.olderThan ?? DAY_MS);
  const from = flags.recursive ? asFolder(place) : place;
  const filter = makeFilter(flags.filter ?? []);
  return bulk.endUnfinished(from, {
    ...run,
    ...(flags.dryRun && { dryRun: true }),
    filter: ({ key, initiatedMs }) =>
      initiatedMs <= before && (flags.recursive ? filter(key.slice(from.prefix.length)) : key === place.prefix),
  });
}

async function* below(prefix: string, names: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const name of names) yield prefix + name;
}
