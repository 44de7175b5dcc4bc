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

const EXAMPLES = `
Examples:
  svc-blob ls
  svc-blob ls s3://main/photos/
  svc-blob ls -r -H s3://main --include '*.mp4'`;

export const lsCommand = (): Command =>
  addConnectionFlags(
    addFilterFlags(
      new Command('ls')
        .description('List buckets, or the objects and folders whose keys begin with a prefix')
        .argument('[location]', 's3://bucket/prefix (default: list the buckets)')
        .option('-r, --recursive', 'list the objects of all levels')
        .option('-H, --human', 'print sizes in units, such as 1.5 MiB')
        .option('--incomplete', 'list incomplete multipart uploads; to abort them, use rm --incomplete'),
    ),
  )
    .addHelpText('after', EXAMPLES)
    .action((text: string | undefined, flags: LsFlags) => {
      const place = text === undefined || text === 's3://' ? undefined : parseS3Location(text);
      if (place === undefined && flags.incomplete) throw new UsageError('--incomplete needs a bucket, s3://bucket');
      const pattern =
        text === undefined || place === undefined ? undefined : adviseOnPattern(text, (folder) => `ls -r ${folder}`);
      return withSession({ ...flags, brokenPipeStatus: 0, patternAdvice: pattern }, async (session) => {
        if (place === undefined) await listBuckets(session);
        else if (flags.incomplete) await listIncompleteUploads(session, place, flags);
        else await listObjects(session, place, flags);
      });
    });

/** Formats an ISO 8601 time without its fraction: `2030-01-31 12:00:00`. */
const formatTime = (date: string): string => date.slice(0, 19).replace('T', ' ');

/** Returns the filter of keys. It sees the part of a key below the folder that the prefix names. */
const makeKeyFilter = (place: Place, flags: LsFlags): ((key: string) => boolean) => {
  const matches = makeFilter(flags.filter ?? []);
  return (key) => matches(key.slice(place.prefix.lastIndexOf('/') + 1));
};

async function listBuckets({ bulk, reporter, runOptions }: Session): Promise<void> {
  for (const { name, createdMs } of await bulk.buckets(runOptions)) {
    const created = new Date(createdMs).toISOString();
    reporter.printLine(`${formatTime(created)}  ${escapeControls(name)}`, { bucket: name, created });
  }
}

async function listIncompleteUploads({ bulk, reporter, runOptions }: Session, place: Place, flags: LsFlags): Promise<void> {
  const matches = makeKeyFilter(place, flags);
  for await (const { key, uploadId, initiatedMs } of bulk.unfinished(place, runOptions)) {
    if (!matches(key)) continue;
    const initiated = new Date(initiatedMs).toISOString();
    reporter.printLine(`${formatTime(initiated)}  ${escapeControls(key)}`, { key, uploadId, initiated });
  }
}

async function listObjects({ bulk, reporter, runOptions }: Session, place: Place, flags: LsFlags): Promise<void> {
  const matches = makeKeyFilter(place, flags);
  const delimiter = flags.recursive ? {} : { delimiter: '/' };
  let isEmpty = true;
  for await (const entry of bulk.list(place, { ...runOptions, ...delimiter })) {
    isEmpty = false;
    if ('prefix' in entry) reporter.printLine(`${' '.repeat(19)} ${'DIR'.padStart(14)}  ${escapeControls(entry.prefix)}`, entry);
    else if (matches(entry.key)) {
      const date = new Date(entry.lastModifiedMs).toISOString();
      const size = flags.human ? formatSize(entry.size) : String(entry.size);
      const { lastModifiedMs: _, ...rest } = entry;
      reporter.printLine(`${formatTime(date)} ${size.padStart(14)}  ${escapeControls(entry.key)}`, {
        ...rest,
        lastModified: date,
      });
    }
  }
  if (isEmpty && place.prefix !== '')
    throw new S3Error('NothingThere', `No key of s3://${place.bucket} begins with ${place.prefix}.`);
}
