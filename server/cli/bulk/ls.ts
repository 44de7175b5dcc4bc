import { Command } from 'commander';
import { S3Error } from '../../../src/bulk/errors.js';
import { makeFilter } from '../../../src/bulk/list/path-filter.js';
import type { Place } from '../../../src/bulk/types.js';
import { UsageError } from '../report-failure.js';
import { connectionFlags, filterFlags } from './flags.js';
import type { CommonFlags, FilterFlags } from './flags.js';
import { formatSize, printable } from './format.js';
import { patternAdvice } from './patterns.js';
import { s3Spot } from './locations.js';
import { withSession } from './session.js';
import type { Session } from './session.js';

interface LsFlags extends CommonFlags, FilterFlags {
  recursive?: true;
  human?: true;
  incomplete?: true;
}

export const lsCommand = (): Command =>
  connectionFlags(
    filterFlags(
      new Command('ls')
        .description('list buckets, or objects whose keys begin with a prefix')
        .argument('[place]', 's3://bucket/prefix; the buckets without it, or of s3://')
        .option('-r, --recursive', 'everything below, instead of one level')
        .option('-H, --human', 'sizes in KiB, MiB, …')
        .option('--incomplete', 'uploads in parts that were begun and not ended; rm --incomplete ends them'),
    ),
  ).action((place: string | undefined, flags: LsFlags) => {
    const spot = place === undefined || place === 's3://' ? undefined : s3Spot(place);
    if (spot === undefined && flags.incomplete) throw new UsageError('say a bucket: --incomplete looks into one');
    const pattern = place === undefined || spot === undefined ? undefined : patternAdvice(place, (folder) => `ls -r ${folder}`);
    return withSession({ ...flags, unread: 0, patternAdvice: pattern }, async (session) => {
      if (spot === undefined) await buckets(session);
      else if (flags.incomplete) await uploads(session, spot, flags);
      else await objects(session, spot, flags);
    });
  });

const inWords = (date: string): string => date.slice(0, 19).replace('T', ' ');

const nameWanted = (spot: Place, flags: LsFlags): ((key: string) => boolean) => {
  const wanted = makeFilter(flags.filter ?? []);
  return (key) => wanted(key.slice(spot.prefix.lastIndexOf('/') + 1));
};

async function buckets({ bulk, reporter, run }: Session): Promise<void> {
  for (const { name, createdMs } of await bulk.buckets(run)) {
    const created = new Date(createdMs).toISOString();
    reporter.line(`${inWords(created)}  ${printable(name)}`, { bucket: name, created });
  }
}

async function uploads({ bulk, reporter, run }: Session, spot: Place, flags: LsFlags): Promise<void> {
  const wanted = nameWanted(spot, flags);
  for await (const { key, uploadId, initiatedMs } of bulk.unfinished(spot, run)) {
    if (!wanted(key)) continue;
    const initiated = new Date(initiatedMs).toISOString();
    reporter.line(`${inWords(initiated)}  ${printable(key)}`, { key, uploadId, initiated });
  }
}

async function objects({ bulk, reporter, run }: Session, spot: Place, flags: LsFlags): Promise<void> {
  const wanted = nameWanted(spot, flags);
  let empty = true;
  for await (const entry of bulk.list(spot, { ...run, ...(flags.recursive ? {} : { delimiter: '/' }) })) {
    empty = false;
    if ('prefix' in entry) reporter.line(`${' '.repeat(19)} ${'DIR'.padStart(14)}  ${printable(entry.prefix)}`, entry);
    else if (wanted(entry.key)) {
      const date = new Date(entry.lastModifiedMs).toISOString();
      const size = flags.human ? formatSize(entry.size) : String(entry.size);
      const { lastModifiedMs: _, ...rest } = entry;
      reporter.line(`${inWords(date)} ${size.padStart(14)}  ${printable(entry.key)}`, { ...rest, lastModified: date });
    }
  }
  if (empty && spot.prefix !== '') throw new S3Error('NothingThere', `No key of s3://${spot.bucket} begins with ${spot.prefix}.`);
}
