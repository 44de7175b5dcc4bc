import { Command } from 'commander';
import { makeFilter } from '../../../src/bulk/list/path-filter.js';
import type { Place, Summary } from '../../../src/bulk/types.js';
import { UsageError } from '../errors.js';
import { readNames, nameListFrom } from './name-list.js';
import { parseAge, addConnectionFlags, addFilterFlags, addListFlags } from './flags.js';
import type { CommonFlags, FilterFlags, ListFlags } from './flags.js';
import { adviseOnPattern, requireMatch } from './pattern-advice.js';
import { asFolder, parseS3Location } from './locations.js';
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

A key may contain * and ?, so patterns need -r and --include. Deleting a missing key succeeds, unless it looks like a pattern.`;

export const rmCommand = (): Command =>
  addConnectionFlags(
    addFilterFlags(
      addListFlags(
        new Command('rm')
          .description('delete objects')
          .argument('<place>', 's3://bucket/key, or s3://bucket/prefix with -r')
          .option('-r, --recursive', 'delete everything below the prefix')
          .option('-n, --dry-run', 'print what would be deleted, without deleting it'),
        'keys below the prefix',
      )
        .option('--incomplete', 'abort incomplete multipart uploads instead of deleting objects')
        .option('--older-than <age>', 'with --incomplete, the minimum age: 12h, 7d, 0 for all (default: 1d)', parseAge),
    ),
  )
    .addHelpText('after', EXAMPLES)
    .action((text: string, flags: RmFlags) => {
      const place = parseS3Location(text);
      if (place.prefix === '' && flags.incomplete) flags.recursive = true;
      if (place.prefix === '' && !flags.recursive && flags.filesFrom === undefined)
        throw new UsageError(`${text}: add -r to delete all objects of a bucket`);
      if (!flags.recursive && flags.filesFrom === undefined && flags.filter !== undefined)
        throw new UsageError('--include and --exclude need -r or --files-from');
      if (flags.incomplete && flags.filesFrom !== undefined)
        throw new UsageError('use either --incomplete or --files-from, not both');
      if (!flags.incomplete && flags.olderThan !== undefined) throw new UsageError('--older-than needs --incomplete');
      const listed = flags.filesFrom !== undefined;
      const verb = flags.incomplete ? 'rm -r --incomplete' : 'rm -r';
      const pattern = listed ? undefined : adviseOnPattern(text, (folder) => `${verb} ${folder}`);
      return withSession({ ...flags, action: 'delete', patternAdvice: pattern }, async (session) => {
        const summary = await (flags.incomplete ? abortIncompleteUploads : deleteObjects)(place, flags, session);
        session.reporter.reportSummary(summary, 'delete', flags.dryRun, listed);
        requireMatch(summary.deleted + summary.failed, text, pattern);
      });
    });

function deleteObjects(place: Place, flags: RmFlags, { bulk, run }: Session): Promise<Summary> {
  const options = { ...run, ...(flags.dryRun && { dryRun: true }) };
  const { prefix } = asFolder(place);
  const filter = makeFilter(flags.filter ?? []);
  const list = nameListFrom(flags, run);
  if (list !== undefined) {
    // Keys stay exact: the key ./x is not the key x.
    const keys = readNames(list, filter, (line) => line);
    return bulk.delete(place, { ...options, keys: addPrefix(prefix, keys) });
  }
  if (!flags.recursive) return bulk.delete(place, { ...options, exact: true });
  return bulk.delete(asFolder(place), { ...options, filter: (entry) => filter(entry.key.slice(prefix.length)) });
}

/** Aborts old multipart uploads. A recent one may still be running. */
function abortIncompleteUploads(place: Place, flags: RmFlags, { bulk, run }: Session): Promise<Summary> {
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

async function* addPrefix(prefix: string, names: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const name of names) yield prefix + name;
}
