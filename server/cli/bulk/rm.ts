import { Command } from 'commander';
import { makeFilter } from '../../../src/bulk/list/path-filter.js';
import type { Place, Summary } from '../../../src/bulk/types.js';
import { UsageError } from '../errors.js';
import { readNames, nameListFrom } from './name-list.js';
import { parseAge } from './flag-parsers.js';
import { addConnectionFlags, addFilterFlags, addListFlags } from './flags.js';
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

Keys may contain * and ?. To delete by pattern, use -r and --include.
Deleting a missing key succeeds, unless the key looks like a pattern.`;

export const rmCommand = (): Command =>
  addConnectionFlags(
    addFilterFlags(
      addListFlags(
        new Command('rm')
          .description('Delete objects')
          .argument('<location>', 's3://bucket/key, or s3://bucket/prefix with -r')
          .option('-r, --recursive', 'delete everything below the prefix')
          .option('-n, --dry-run', 'print what would be deleted, but delete nothing'),
        'keys below the prefix',
      )
        .option('--incomplete', 'abort incomplete multipart uploads instead of deleting objects')
        .option(
          '--older-than <age>',
          'with --incomplete, the minimum age of an upload, such as 12h or 7d; 0 aborts all (default: 1d)',
          parseAge,
        ),
    ),
  )
    .addHelpText('after', EXAMPLES)
    .action((text: string, flags: RmFlags) => {
      const place = parseS3Location(text);
      const hasList = flags.filesFrom !== undefined;
      if (place.prefix === '' && flags.incomplete) flags.recursive = true;
      if (place.prefix === '' && !flags.recursive && !hasList)
        throw new UsageError(`${text}: add -r to delete all objects of a bucket`);
      if (!flags.recursive && !hasList && flags.filter !== undefined)
        throw new UsageError('--include and --exclude need -r or --files-from');
      if (flags.incomplete && hasList) throw new UsageError('use either --incomplete or --files-from, not both');
      if (!flags.incomplete && flags.olderThan !== undefined) throw new UsageError('--older-than needs --incomplete');
      const command = flags.incomplete ? 'rm -r --incomplete' : 'rm -r';
      const pattern = hasList ? undefined : adviseOnPattern(text, (folder) => `${command} ${folder}`);
      return withSession({ ...flags, operation: 'delete', patternAdvice: pattern }, async (session) => {
        const summary = await (flags.incomplete ? abortIncompleteUploads : deleteObjects)(place, flags, session);
        session.reporter.reportSummary(summary, 'delete', { dryRun: flags.dryRun, mayNotHaveExisted: hasList });
        requireMatch(summary.deleted + summary.failed, text, pattern);
      });
    });

function deleteObjects(place: Place, flags: RmFlags, { bulk, runOptions }: Session): Promise<Summary> {
  const options = { ...runOptions, ...(flags.dryRun && { dryRun: true }) };
  const { prefix } = asFolder(place);
  const filter = makeFilter(flags.filter ?? []);
  const list = nameListFrom(flags, runOptions);
  if (list !== undefined) {
    // Keys are not normalized: the key ./x is not the key x.
    const keys = readNames(list, filter, (line) => line);
    return bulk.delete(place, { ...options, keys: addPrefix(prefix, keys) });
  }
  if (!flags.recursive) return bulk.delete(place, { ...options, exact: true });
  return bulk.delete(asFolder(place), { ...options, filter: (entry) => filter(entry.key.slice(prefix.length)) });
}

/** Aborts multipart uploads of a minimum age. A younger one may still be running. */
function abortIncompleteUploads(place: Place, flags: RmFlags, { bulk, runOptions }: Session): Promise<Summary> {
  const latestStart = flags.olderThan === 0 ? Infinity : bulk.store.now() - (flags.olderThan ?? DAY_MS);
  const prefixPlace = flags.recursive ? asFolder(place) : place;
  const filter = makeFilter(flags.filter ?? []);
  return bulk.endUnfinished(prefixPlace, {
    ...runOptions,
    ...(flags.dryRun && { dryRun: true }),
    filter: ({ key, initiatedMs }) =>
      initiatedMs <= latestStart && (flags.recursive ? filter(key.slice(prefixPlace.prefix.length)) : key === place.prefix),
  });
}

async function* addPrefix(prefix: string, names: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const name of names) yield prefix + name;
}
