import { Command } from 'commander';
import { makeFilter } from '../../../src/s3/filter.js';
import { UsageError } from '../report.js';
import { entriesOf, listOf } from './files-from.js';
import { connectionFlags, filterFlags } from './flags.js';
import type { CommonFlags, FilterFlags } from './flags.js';
import { asFolder, s3Spot } from './places.js';
import { withSession } from './session.js';

interface RmFlags extends CommonFlags, FilterFlags {
  recursive?: true;
  dryRun?: true;
  filesFrom?: string;
  null?: true;
}

export const rmCommand = (): Command =>
  connectionFlags(
    filterFlags(
      new Command('rm')
        .description('delete objects')
        .argument('<place>', 's3://bucket/key, or s3://bucket/prefix with -r')
        .option('-r, --recursive', 'everything below the prefix')
        .option('-n, --dry-run', 'say what would be deleted and do nothing')
        .option('--files-from <file>', 'only the keys of this list below the prefix, one a line; - reads it from standard input')
        .option('-0, --null', 'the list ends each key with a zero byte'),
    ),
  ).action((text: string, flags: RmFlags) => {
    const place = s3Spot(text);
    if (place.prefix === '' && !flags.recursive && flags.filesFrom === undefined)
      throw new UsageError(`${text}: add -r to delete all of a bucket`);
    if (!flags.recursive && flags.filter !== undefined) throw new UsageError('--include and --exclude go with -r');
    return withSession(flags, async ({ bulk, reporter, run }) => {
      const options = { ...run, ...(flags.dryRun && { dryRun: true }) };
      const folder = { ...place, prefix: asFolder(place.prefix) };
      const filter = makeFilter(flags.filter ?? []);
      const summary =
        flags.filesFrom === undefined
          ? flags.recursive
            ? await bulk.delete(folder, { ...options, filter: (entry) => filter(entry.key.slice(folder.prefix.length)) })
            : await bulk.delete(place, { ...options, keys: [place.prefix] })
          : await bulk.delete(place, { ...options, keys: below(folder.prefix, entriesOf(listOf(flags)!, filter)) });
      reporter.summary(summary, 'delete', flags.dryRun);
    });
  });

async function* below(prefix: string, names: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const name of names) yield prefix + name;
}
