import type { Integrity } from '../../../src/bulk/s3/store-options.js';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { parseSize } from '../../../src/protocol/sizes.js';
import { compileGlob } from '../../../src/bulk/list/glob.js';
import type { FilterRule } from '../../../src/bulk/list/path-filter.js';
import { MULTIPART } from '../../../src/bulk/transfer/part-plan.js';

/** What every bulk command takes. */
export interface CommonFlags {
  endpoint?: string;
  region?: string;
  profile?: string;
  /** False with `--no-sign-request`. */
  signRequest?: boolean;
  addressing?: 'path' | 'virtual';
  json?: true;
  quiet?: true;
  verbose?: true;
  concurrency?: number;
  bwlimit?: number;
  retries?: number;
}

export interface FilterFlags {
  /** Of both flags, in the order in which they were written. */
  filter?: FilterRule[];
}

export const size = (text: string): number => {
  const bytes = parseSize(text.replace(/\/s$/i, ''));
  if (bytes === undefined || bytes < 1) throw new InvalidArgumentError('Say a size such as 16MiB or 10MB.');
  return bytes;
};

export const count =
  (min: number, max: number) =>
  (text: string): number => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < min || number > max)
      throw new InvalidArgumentError(`Say a number from ${min} to ${max}.`);
    return number;
  };

const UNITS_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of `30m`, `12h` or `7d`; 0 needs no unit. */
export const age = (text: string): number => {
  const [, number, unit] = /^(\d+)([smhd])$/.exec(text === '0' ? '0s' : text) ?? [];
  if (unit === undefined) throw new InvalidArgumentError('Say an age such as 30m, 12h or 7d.');
  return Number(number) * UNITS_MS[unit as keyof typeof UNITS_MS];
};

const folderName = (text: string): string => {
  if (text === '') throw new InvalidArgumentError('Name a folder: a variable that is not set?');
  return text;
};

const partSize = (text: string): number => {
  const bytes = size(text);
  if (bytes < MULTIPART.minPart || bytes > MULTIPART.maxPart) throw new InvalidArgumentError('S3 takes parts from 5MiB to 5GiB.');
  return bytes;
};

/** Of commands that ask a store for many things. */
export const connectionFlags = (command: Command): Command =>
  storeFlags(
    command
      .optionsGroup('What is said:')
      .option('--json', 'one JSON object a line on standard output')
      .option('-q, --quiet', 'only what failed')
      .option('-v, --verbose', 'a line for every file'),
  )
    .option('--concurrency <n>', 'requests at once; by default it adapts to the store', count(1, 1024))
    .option('--bwlimit <rate>', 'bytes a second, such as 10MiB', size)
    .option('--retries <n>', 'tries of one request before its file counts as failed (default: 8)', count(1, 100));

/** Of those whose work is one request. */
export const requestFlags = (command: Command): Command =>
  storeFlags(
    command
      .optionsGroup('What is said:')
      .option('--json', 'one JSON object on standard output')
      .option('-q, --quiet', 'only what failed'),
  ).option('--retries <n>', 'tries before it counts as failed (default: 8)', count(1, 100));

const storeFlags = (command: Command): Command =>
  command
    .optionsGroup('The store:')
    .option('--endpoint <url>', 'its address (AWS_ENDPOINT_URL)')
    // So other tools call it.
    .addOption(new Option('--endpoint-url <url>').hideHelp())
    .on('option:endpoint-url', (url: string) => command.setOptionValue('endpoint', url))
    .option('--region <name>', 'its region (AWS_REGION)')
    .option('--profile <name>', 'a profile of the AWS configuration files (AWS_PROFILE)')
    .option('--no-sign-request', 'look for no credentials and sign nothing, as public buckets allow')
    .addOption(
      new Option('--addressing <style>', 'whether a bucket is named in the path or the host').choices(['path', 'virtual']),
    );

const INTEGRITY: Integrity[] = ['auto', 'crc32', 'crc32c', 'crc64nvme', 'md5', 'sha256'];

/** Collects `--include` and `--exclude` in one list, since their order counts. */
export function filterFlags(command: Command): Command {
  const rules: FilterRule[] = [];
  const collect = (include: boolean) => (pattern: string) => {
    if (pattern === '') throw new InvalidArgumentError('Say a pattern: a variable that is not set?');
    try {
      compileGlob(pattern);
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
    rules.push({ include, pattern });
    command.setOptionValue('filter', rules);
    return pattern;
  };
  return command
    .optionsGroup('Which files:')
    .option('--include <glob>', 'take what matches: *, ?, **, [a-z], {a,b}; with it first, nothing else', collect(true))
    .option('--exclude <glob>', 'leave out what matches, and all below it; both can be repeated, later ones win', collect(false));
}

export interface PropertyFlags {
  storageClass?: string;
  metadata?: Record<string, string>;
  cacheControl?: string;
  contentType?: string;
  contentDisposition?: string;
  contentEncoding?: string;
  contentLanguage?: string;
  expires?: string;
  acl?: string;
  sse?: string;
  sseKmsKeyId?: string;
  tags?: string;
}

const metadata = (text: string, before: Record<string, string> = {}): Record<string, string> => {
  const match = /^([A-Za-z0-9._-]+)=([\x20-\x7e]*)$/.exec(text);
  if (!match) throw new InvalidArgumentError('Say name=value, in ASCII.');
  return { ...before, [match[1]!.toLowerCase()]: match[2]! };
};

const headerText = (text: string): string => {
  if (!/^[\x20-\x7e]+$/.test(text)) throw new InvalidArgumentError('Headers are printable ASCII.');
  return text;
};

/** As it goes on the wire, each part encoded as in a form. */
const tags = (text: string): string => {
  const all = new URLSearchParams(text);
  if (![...all.keys()].every(Boolean) || all.size === 0) throw new InvalidArgumentError('Say name=value&name=value.');
  return all.toString().replaceAll('+', '%20');
};

/** ISO 8601, of a day or a moment, or as HTTP writes it; `Date` alone makes something of "day 7" as well. */
const DATE =
  /^(?:\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT)$/;

/** `Date` makes 3 March of 31 February. */
const isDay = (text: string, time: Date): boolean => {
  const day = text.slice(0, 'yyyy-mm-dd'.length);
  return /^\d/.test(text) ? new Date(day).toISOString().startsWith(day) : time.toUTCString() === text;
};

const date = (text: string): string => {
  const time = new Date(text);
  if (!DATE.test(text) || Number.isNaN(time.getTime()) || !isDay(text, time))
    throw new InvalidArgumentError('Say a date such as 2030-01-31T12:00:00Z.');
  return time.toUTCString();
};

const ACLS = [
  'private',
  'public-read',
  'public-read-write',
  'authenticated-read',
  'aws-exec-read',
  'bucket-owner-read',
  'bucket-owner-full-control',
];

const propertyFlags = (command: Command): Command =>
  command
    .optionsGroup('What every object gets:')
    .option('--storage-class <class>', 'such as STANDARD_IA', headerText)
    .option('--metadata <name=value>', 'user metadata; can be repeated', metadata)
    .option('--cache-control <value>', 'such as "max-age=3600"', headerText)
    .option('--content-type <type>', 'by default guessed from the name', headerText)
    .option('--content-disposition <value>', 'such as attachment', headerText)
    .option('--content-encoding <value>', 'such as gzip', headerText)
    .option('--content-language <value>', 'such as de', headerText)
    .option('--expires <date>', 'when caches shall ask again, such as 2030-01-31T12:00:00Z', date)
    .addOption(new Option('--acl <name>', 'who may read it; a copy gets none of its source').choices(ACLS))
    .addOption(new Option('--sse <how>', 'how the store encrypts it').choices(['AES256', 'aws:kms', 'aws:kms:dsse']))
    .option('--sse-kms-key-id <id>', 'with this key; then --sse is aws:kms unless you say another', headerText)
    .option('--tags <name=value&...>', 'each part encoded as in a form', tags);

export interface ListFlags {
  filesFrom?: string;
  null?: true;
}

/** @param what the list names */
export const listFlags = (command: Command, what: string): Command =>
  command
    .option('--files-from <file>', `only the ${what} of this list, one a line; - reads it from standard input`)
    .option('-0, --null', 'the list ends each with a zero byte, as find -print0 does');

export interface TransferFlags extends CommonFlags, FilterFlags, PropertyFlags {
  dryRun?: true;
  partSize?: number;
  integrity: Integrity;
  symlinks: 'follow' | 'skip';
  /** False with `--no-resume`. */
  resume: boolean;
  /** False with `--no-times`. */
  times: boolean;
  preserveMode?: true;
  stateDir?: string;
}

export const transferFlags = (command: Command): Command => connectionFlags(propertyFlags(filterFlags(moveFlags(command))));

export const symlinks = (): Option =>
  new Option('--symlinks <how>', 'symbolic links').choices(['follow', 'skip']).default('follow');

export const stateDir = (): Option =>
  new Option('--state-dir <folder>', 'where journals lie (XDG_STATE_HOME/svc-blob)').argParser(folderName);

const moveFlags = (command: Command): Command =>
  command
    .option('-n, --dry-run', 'say what would be done and do nothing')
    .option('--part-size <size>', 'of large files: 8MiB, or what 10,000 parts need to suffice', partSize)
    .addOption(symlinks())
    .addOption(
      new Option('--integrity <how>', 'what the store compares: auto is CRC32, or MD5 where it compares no checksum')
        .choices(INTEGRITY)
        .default('auto'),
    )
    .option('--no-resume', 'do not go on where the last run stopped, and keep no journal')
    .option('--no-times', 'keep no modification times and modes')
    .option('--preserve-mode', 'give downloaded files all recorded permissions, execute bits too; only for buckets you trust')
    .addOption(stateDir());
