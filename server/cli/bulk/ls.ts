import { Command } from 'commander';
import { makeFilter } from '../../../src/s3/filter.js';
import { connectionFlags, filterFlags } from './flags.js';
import type { CommonFlags, FilterFlags } from './flags.js';
import { formatSize, printable } from './format.js';
import { s3Spot } from './places.js';
import { withSession } from './session.js';

interface LsFlags extends CommonFlags, FilterFlags {
  recursive?: true;
  human?: true;
}

export const lsCommand = (): Command =>
  connectionFlags(
    filterFlags(
      new Command('ls')
        .description('list objects whose keys begin with a prefix')
        .argument('<place>', 's3://bucket/prefix')
        .option('-r, --recursive', 'everything below, instead of one level')
        .option('-H, --human', 'sizes in KiB, MiB, …'),
    ),
  ).action((place: string, flags: LsFlags) => {
    const spot = s3Spot(place);
    return withSession({ ...flags, unread: 0 }, async ({ bulk, reporter, run }) => {
      const wanted = makeFilter(flags.filter ?? []);
      for await (const entry of bulk.list(spot, { ...run, ...(flags.recursive ? {} : { delimiter: '/' }) })) {
        if ('prefix' in entry) reporter.line(`${' '.repeat(19)} ${'DIR'.padStart(14)}  ${printable(entry.prefix)}`, entry);
        else if (wanted(entry.key.slice(spot.prefix.lastIndexOf('/') + 1))) {
          const date = new Date(entry.lastModifiedMs).toISOString();
          const size = flags.human ? formatSize(entry.size) : String(entry.size);
          const { lastModifiedMs: _, ...rest } = entry;
          reporter.line(`${date.slice(0, 19).replace('T', ' ')} ${size.padStart(14)}  ${printable(entry.key)}`, {
            ...rest,
            last_modified: date,
          });
        }
      }
    });
  });
