import { Option } from 'commander';
import type { Command } from 'commander';
import type { FilterRule } from '../../../src/bulk/list/path-filter.js';
import type { Integrity } from '../../../src/bulk/s3/store-options.js';
import {
  parseCount,
  parseDate,
  parseGlob,
  parseHeader,
  parseMetadata,
  parseNonEmpty,
  parsePartSize,
  parseRateFlag,
  parseTags,
} from './flag-parsers.js';

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

/** Adds the flags of commands that send many requests. */
export const addConnectionFlags = (command: Command): Command =>
  addStoreFlags(
    command
      .optionsGroup('Output:')
      .option('--json', 'print one JSON object per line on standard output')
      .option('-q, --quiet', 'print failures only')
      .option('-v, --verbose', 'print a line for every file'),
  )
    .option('--concurrency <n>', 'number of concurrent requests, 1 to 1024 (default: adapts to the store)', parseCount(1, 1024))
    .option('--bwlimit <rate>', 'bandwidth limit in bytes per second, such as 10MiB', parseRateFlag)
    .option('--retries <n>', 'attempts per request before its file fails, 1 to 100 (default: 8)', parseCount(1, 100));

/** Adds the flags of commands that send one request. */
export const addRequestFlags = (command: Command): Command =>
  addStoreFlags(
    command
      .optionsGroup('Output:')
      .option('--json', 'print one JSON object on standard output')
      .option('-q, --quiet', 'print failures only'),
  ).option('--retries <n>', 'attempts of the request, 1 to 100 (default: 8)', parseCount(1, 100));

const addStoreFlags = (command: Command): Command =>
  command
    .optionsGroup('Store:')
    .option('--endpoint <url>', 'address of the S3 endpoint (env: AWS_ENDPOINT_URL)')
    // The AWS CLI and s5cmd call the flag --endpoint-url.
    .addOption(new Option('--endpoint-url <url>').hideHelp())
    .on('option:endpoint-url', (url: string) => command.setOptionValue('endpoint', url))
    .option('--region <name>', 'region of the bucket (env: AWS_REGION)')
    .option('--profile <name>', 'profile of the AWS configuration files (env: AWS_PROFILE)')
    .option('--no-sign-request', 'send unsigned requests, for public buckets')
    .addOption(
      new Option('--addressing <style>', 'where requests state the bucket: in the path or in the host name').choices([
        'path',
        'virtual',
      ]),
    );

const INTEGRITY: Integrity[] = ['auto', 'crc32', 'crc32c', 'crc64nvme', 'md5', 'sha256'];

/** Adds `--include` and `--exclude`. Their order matters, so both go into one list. */
export function addFilterFlags(command: Command): Command {
  const rules: FilterRule[] = [];
  const addRule = (include: boolean) => (text: string) => {
    const pattern = parseGlob(text);
    rules.push({ include, pattern });
    command.setOptionValue('filter', rules);
    return pattern;
  };
  return command
    .optionsGroup('Filters:')
    .option(
      '--include <glob>',
      'include matching files; if the first filter is an --include, it excludes all other files',
      addRule(true),
    )
    .option(
      '--exclude <glob>',
      'exclude matching files and folders. Globs may use *, ?, **, [a-z] and {a,b}. Both flags can be repeated; the last match wins',
      addRule(false),
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
    .option('--metadata <name=value>', 'user metadata of the objects; can be repeated', parseMetadata)
    .option('--cache-control <value>', 'Cache-Control, such as "max-age=3600"', parseHeader)
    .option('--content-type <type>', 'Content-Type (default: guessed from the name)', parseHeader)
    .option('--content-disposition <value>', 'Content-Disposition, such as attachment', parseHeader)
    .option('--content-encoding <value>', 'Content-Encoding, such as gzip', parseHeader)
    .option('--content-language <value>', 'Content-Language, such as de', parseHeader)
    .option('--expires <date>', 'Expires header for caches, such as 2030-01-31T12:00:00Z', parseDate)
    .addOption(new Option('--acl <name>', 'canned ACL; a copy does not inherit the ACL of its source').choices(ACLS))
    .addOption(new Option('--sse <method>', 'server-side encryption').choices(['AES256', 'aws:kms', 'aws:kms:dsse']))
    .option('--sse-kms-key-id <id>', 'KMS key for --sse; without --sse, aws:kms is used', parseHeader)
    .option('--tags <name=value&...>', 'tags of the objects, form-encoded', parseTags);

export interface ListFlags {
  filesFrom?: string;
  null?: true;
}

/** Adds the flags of name lists. @param entries what the list contains, for the help */
export const addListFlags = (command: Command, entries: string): Command =>
  command
    .option('--files-from <file>', `process only the ${entries} in this list, one per line; - reads standard input`)
    .option('-0, --null', 'entries of --files-from end with a zero byte, as from find -print0');

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
  new Option('--symlinks <mode>', 'follow or skip symbolic links').choices(['follow', 'skip']).default('follow');

export const stateDirOption = (): Option =>
  new Option(
    '--state-dir <folder>',
    'folder of the journals that resume transfers (default: svc-blob in XDG_STATE_HOME)',
  ).argParser(parseNonEmpty);

const addCopyFlags = (command: Command): Command =>
  command
    .option('-n, --dry-run', 'print what would be done, but change nothing')
    .option(
      '--part-size <size>',
      'part size of large files, 5MiB to 5GiB (default: 8MiB, more for files of over 10,000 parts)',
      parsePartSize,
    )
    .addOption(symlinksOption())
    .addOption(
      new Option(
        '--integrity <method>',
        'checksum that the store verifies; auto uses CRC32, or MD5 if the store verifies no CRC32',
      )
        .choices(INTEGRITY)
        .default('auto'),
    )
    .option('--no-resume', 'do not resume the previous run, and write no journal')
    .option('--no-times', 'do not preserve modification times and modes')
    .option(
      '--preserve-mode',
      'restore the recorded permissions of downloaded files, including execute bits; only for buckets you trust',
    )
    .addOption(stateDirOption());
