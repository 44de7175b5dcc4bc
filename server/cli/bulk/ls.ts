import { Command } from 'commander';
import { S3Error } from '../../../src/bulk/errors.js';
import { makeFilter } from '../../../src/bulk/list/path-filter.js';
import type { Place } from '../../../src/bulk/types.js';
import { UsageError } from '../errors.js';
import { addConnectionFlags, addFilterFlags } from './flags.js';
import type { CommonFlags, FilterFlags } from './flags.js';
import { formatSize, escapeControls } from './format.js';
import { adviseOnPattern } from './pattern-advice.js';
import { parseS3Location } from './locations.js';
import { withSession } from './session.js';
import type { Session } from './session.js';

interface LsFlags extends CommonFlags, FilterFlags {
  recursive?: true;
  human?: true;
  incomplete?: true;
}

export const lsCommand = (): Command =>
  addConnectionFlags(
    addFilterFlags(
      new Command('ls')
        .description('list buckets, or objects whose keys begin with a prefix')
        .argument('[place]', 's3://bucket/prefix; lists buckets if absent or s3://')
        .option('-r, --recursive', 'list all levels')
        .option('-H, --human', 'print sizes in KiB, MiB, …')
        .option('--incomplete', 'list incomplete multipart uploads; rm --incomplete aborts them'),
    ),
  ).action((place: string | undefined, flags: LsFlags) => {
    const location = place === undefined || place === 's3://' ? undefined : parseS3Location(place);
    if (location === undefined && flags.incomplete) throw new UsageError('--incomplete needs a bucket');
    const pattern =
      place === undefined || location === undefined ? undefined : adviseOnPattern(place, (folder) => `ls -r ${folder}`);
    return withSession({ ...flags, brokenPipeStatus: 0, patternAdvice: pattern }, async (session) => {
      if (location === undefined) await listBuckets(session);
      else if (flags.incomplete) await listIncompleteUploads(session, location, flags);
      else await listObjects(session, location, flags);
    });
  });

const formatTime = (date: string): string => date.slice(0, 19).replace('T', ' ');

const makeKeyFilter = (location: Place, flags: LsFlags): ((key: string) => boolean) => {
  const wanted = makeFilter(flags.filter ?? []);
  return (key) => wanted(key.slice(location.prefix.lastIndexOf('/') + 1));
};

async function listBuckets({ bulk, reporter, run }: Session): Promise<void> {
  for (const { name, createdMs } of await bulk.buckets(run)) {
    const created = new Date(createdMs).toISOString();
    reporter.printLine(`${formatTime(created)}  ${escapeControls(name)}`, { bucket: name, created });
  }
}

async function listIncompleteUploads({ bulk, reporter, run }: Session, location: Place, flags: LsFlags): Promise<void> {
  const wanted = makeKeyFilter(location, flags);
  for await (const { key, uploadId, initiatedMs } of bulk.unfinished(location, run)) {
    if (!wanted(key)) continue;
    const initiated = new Date(initiatedMs).toISOString();
    reporter.printLine(`${formatTime(initiated)}  ${escapeControls(key)}`, { key, uploadId, initiated });
  }
}

async function listObjects({ bulk, reporter, run }: Session, location: Place, flags: LsFlags): Promise<void> {
  const wanted = makeKeyFilter(location, flags);
  let empty = true;
  for await (const entry of bulk.list(location, { ...run, ...(flags.recursive ? {} : { delimiter: '/' }) })) {
    empty = false;
    if ('prefix' in entry) reporter.printLine(`${' '.repeat(19)} ${'DIR'.padStart(14)}  ${escapeControls(entry.prefix)}`, entry);
    else if (wanted(entry.key)) {
      const date = new Date(entry.lastModifiedMs).toISOString();
      const size = flags.human ? formatSize(entry.size) : String(entry.size);
      const { lastModifiedMs: _, ...rest } = entry;
      reporter.printLine(`${formatTime(date)} ${size.padStart(14)}  ${escapeControls(entry.key)}`, {
        ...rest,
        lastModified: date,
      });
    }
  }
  if (empty && location.prefix !== '')
    throw new S3Error('NothingThere', `No key of s3://${location.bucket} begins with ${location.prefix}.`);
}
