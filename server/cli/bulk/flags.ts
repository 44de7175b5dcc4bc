import type { Integrity } from '../../../src/bulk/s3/store-options.js';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { parseSize } from '../../../src/protocol/sizes.js';
import { compileGlob } from '../../../src/bulk/list/glob.js';
import type { FilterRule } from '../../../src/bulk/list/path-filter.js';
import { MULTIPART } from '../../../src/bulk/transfer/part-plan.js';

/** The flags of all bulk commands. */
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
  /** The rules of `--include` and `--exclude`, in the order of the command line. */
  filter?: FilterRule[];
}

export const parseSizeFlag = (text: string): number => {
  const bytes = parseSize(text.replace(/\/s$/i, ''));
  if (bytes === undefined || bytes < 1) throw new InvalidArgumentError('It must be a size such as 16MiB or 10MB.');
  return bytes;
};

export const parseCount =
  (min: number, max: number) =>
  (text: string): number => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < min || number > max)
      throw new InvalidArgumentError(`It must be a number from ${min} to ${max}.`);
    return number;
  };

const UNITS_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Converts an age such as `30m`, `12h` or `7d` to milliseconds. 0 needs no unit. */
export const parseAge = (text: string): number => {
  const [, number, unit] = /^(\d+)([smhd])$/.exec(text === '0' ? '0s' : text) ?? [];
  if (unit === undefined) throw new InvalidArgumentError('It must be an age such as 30m, 12h or 7d.');
  return Number(number) * UNITS_MS[unit as keyof typeof UNITS_MS];
};

const parseFolder = (text: string): string => {
  if (text === '') throw new InvalidArgumentError('It is empty. Is a variable of your shell not set?');
  return text;
};

const parsePartSize = (text: string): number => {
  const bytes = parseSizeFlag(text);
  if (bytes < MULTIPART.minPart || bytes > MULTIPART.maxPart) throw new InvalidArgumentError('It must be from 5MiB to 5GiB.');
  return bytes;
};

/** Adds the flags of commands that send many requests. */
export const addConnectionFlags = (command: Command): Command =>
  addStoreFlags(
    command
      .optionsGroup('Output:')
      .option('--json', 'print one JSON object per line on standard output')
      .option('-q, --quiet', 'print failures only')
      .option('-v, --verbose', 'print a line for every file'),
  )
    .option('--concurrency <n>', 'number of concurrent requests (default: adapts to the store)', parseCount(1, 1024))
    .option('--bwlimit <rate>', 'bandwidth limit in bytes per second, such as 10MiB', parseSizeFlag)
    .option('--retries <n>', 'attempts of a request before its file fails (default: 8)', parseCount(1, 100));

/** Adds the flags of commands that send one request. */
export const addRequestFlags = (command: Command): Command =>
  addStoreFlags(
    command
      .optionsGroup('Output:')
      .option('--json', 'print one JSON object on standard output')
      .option('-q, --quiet', 'print failures only'),
  ).option('--retries <n>', 'attempts of the request (default: 8)', parseCount(1, 100));

const addStoreFlags = (command: Command): Command =>
  command
    .optionsGroup('Store:')
    .option('--endpoint <url>', 'address of the store (AWS_ENDPOINT_URL)')
    // The name of this flag in other tools.
    .addOption(new Option('--endpoint-url <url>').hideHelp())
    .on('option:endpoint-url', (url: string) => command.setOptionValue('endpoint', url))
    .option('--region <name>', 'region (AWS_REGION)')
    .option('--profile <name>', 'profile of the AWS configuration files (AWS_PROFILE)')
    .option('--no-sign-request', 'send unsigned requests, for public buckets')
    .addOption(new Option('--addressing <style>', 'bucket name in the path or in the host name').choices(['path', 'virtual']));

const INTEGRITY: Integrity[] = ['auto', 'crc32', 'crc32c', 'crc64nvme', 'md5', 'sha256'];

/** Adds `--include` and `--exclude`. Their order matters, so both go into one list. */
export function addFilterFlags(command: Command): Command {
  const rules: FilterRule[] = [];
  const collect = (include: boolean) => (pattern: string) => {
    if (pattern === '') throw new InvalidArgumentError('It is empty. Is a variable of your shell not set?');
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
    .optionsGroup('Filters:')
    .option(
      '--include <glob>',
      'include matching files: *, ?, **, [a-z], {a,b}. If it comes first, all other files are excluded',
      collect(true),
    )
    .option(
      '--exclude <glob>',
      'exclude matching files and folders. Both flags can be repeated; the last match wins',
      collect(false),
    );
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

const parseMetadata = (text: string, before: Record<string, string> = {}): Record<string, string> => {
  const match = /^([A-Za-z0-9._-]+)=([\x20-\x7e]*)$/.exec(text);
  if (!match) throw new InvalidArgumentError('It must be name=value in ASCII.');
  return { ...before, [match[1]!.toLowerCase()]: match[2]! };
};

const parseHeader = (text: string): string => {
  if (!/^[\x20-\x7e]+$/.test(text)) throw new InvalidArgumentError('It must be printable ASCII.');
  return text;
};

/** Returns tags as the header needs them, form-encoded. */
const parseTags = (text: string): string => {
  const pairs = new URLSearchParams(text);
  if (![...pairs.keys()].every(Boolean) || pairs.size === 0) throw new InvalidArgumentError('It must be name=value&name=value.');
  return pairs.toString().replaceAll('+', '%20');
};

/** An ISO 8601 date or time, or an HTTP date. `Date` alone would also accept "day 7". */
const DATE =
  /^(?:\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT)$/;

/** Rejects days that `Date` would shift, such as 31 February. */
const isDay = (text: string, time: Date): boolean => {
  const day = text.slice(0, 'yyyy-mm-dd'.length);
  return /^\d/.test(text) ? new Date(day).toISOString().startsWith(day) : time.toUTCString() === text;
};

const parseDate = (text: string): string => {
  const time = new Date(text);
  if (!DATE.test(text) || Number.isNaN(time.getTime()) || !isDay(text, time))
    throw new InvalidArgumentError('It must be a date such as 2030-01-31T12:00:00Z.');
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

const addPropertyFlags = (command: Command): Command =>
  command
    .optionsGroup('Properties of objects:')
    .option('--storage-class <class>', 'storage class, such as STANDARD_IA', parseHeader)
    .option('--metadata <name=value>', 'user metadata; can be repeated', parseMetadata)
    .option('--cache-control <value>', 'Cache-Control, such as "max-age=3600"', parseHeader)
    .option('--content-type <type>', 'Content-Type (default: guessed from the name)', parseHeader)
    .option('--content-disposition <value>', 'Content-Disposition, such as attachment', parseHeader)
    .option('--content-encoding <value>', 'Content-Encoding, such as gzip', parseHeader)
    .option('--content-language <value>', 'Content-Language, such as de', parseHeader)
    .option('--expires <date>', 'Expires header for caches, such as 2030-01-31T12:00:00Z', parseDate)
    .addOption(new Option('--acl <name>', 'canned ACL; a copy does not inherit that of its source').choices(ACLS))
    .addOption(new Option('--sse <how>', 'server-side encryption').choices(['AES256', 'aws:kms', 'aws:kms:dsse']))
    .option('--sse-kms-key-id <id>', 'KMS key; sets --sse to aws:kms unless it is given', parseHeader)
    .option('--tags <name=value&...>', 'tags, form-encoded', parseTags);

export interface ListFlags {
  filesFrom?: string;
  null?: true;
}

/** Adds the flags of name lists. @param what the entries of the list */
export const addListFlags = (command: Command, what: string): Command =>
  command
    .option('--files-from <file>', `only the ${what} in this list, one per line; - reads standard input`)
    .option('-0, --null', 'entries of the list end with a zero byte, as from find -print0');

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

export const addTransferFlags = (command: Command): Command =>
  addConnectionFlags(addPropertyFlags(addFilterFlags(addCopyFlags(command))));

export const symlinksOption = (): Option =>
  new Option('--symlinks <how>', 'symbolic links').choices(['follow', 'skip']).default('follow');

export const stateDirOption = (): Option =>
  new Option('--state-dir <folder>', 'folder of the journals (XDG_STATE_HOME/svc-blob)').argParser(parseFolder);

const addCopyFlags = (command: Command): Command =>
  command
    .option('-n, --dry-run', 'print what would be done, without doing it')
    .option('--part-size <size>', 'part size of large files (default: 8MiB, more for files of over 10,000 parts)', parsePartSize)
    .addOption(symlinksOption())
    .addOption(
      new Option('--integrity <how>', 'checksum that the store verifies; auto is CRC32, or MD5 if the store verifies no CRC32')
        .choices(INTEGRITY)
        .default('auto'),
    )
    .option('--no-resume', 'do not resume the previous run, and keep no journal')
    .option('--no-times', 'do not preserve modification times and modes')
    .option(
      '--preserve-mode',
      'restore all recorded permissions of downloaded files, execute bits included; only for buckets you trust',
    )
    .addOption(stateDirOption());
