import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { parseSize } from '../../../src/protocol/sizes.js';
import type { FilterRule } from '../../../src/s3/filter.js';
import { MULTIPART } from '../../../src/s3/plan.js';

/** What every bulk command takes. */
export interface CommonFlags {
  endpoint?: string;
  region?: string;
  profile?: string;
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

const size = (text: string): number => {
  const bytes = parseSize(text.replace(/\/s$/i, ''));
  if (bytes === undefined || bytes < 1) throw new InvalidArgumentError('Say a size such as 16MiB or 10MB.');
  return bytes;
};

const count =
  (min: number, max: number) =>
  (text: string): number => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < min || number > max)
      throw new InvalidArgumentError(`Say a number from ${min} to ${max}.`);
    return number;
  };

const partSize = (text: string): number => {
  const bytes = size(text);
  if (bytes < MULTIPART.minPart || bytes > MULTIPART.maxPart) throw new InvalidArgumentError('S3 takes parts from 5MiB to 5GiB.');
  return bytes;
};

export const connectionFlags = (command: Command): Command =>
  command
    .option('--endpoint <url>', 'address of the store (AWS_ENDPOINT_URL)')
    .option('--region <name>', 'region that is signed for (AWS_REGION)')
    .option('--profile <name>', 'profile of the AWS configuration files (AWS_PROFILE)')
    .addOption(new Option('--addressing <style>', 'how a bucket is named in addresses').choices(['path', 'virtual']))
    .option('--concurrency <n>', 'requests at once; by default it adapts to the store', count(1, 1024))
    .option('--bwlimit <rate>', 'bytes a second, such as 10MiB', size)
    .option('--retries <n>', 'tries of one request before its file counts as failed', count(1, 100))
    .option('--json', 'one JSON object a line on standard output')
    .option('-q, --quiet', 'only what failed')
    .option('-v, --verbose', 'a line for every file');

/** Collects `--include` and `--exclude` in one list, since their order counts. */
export function filterFlags(command: Command): Command {
  const rules: FilterRule[] = [];
  const collect = (include: boolean) => (pattern: string) => {
    rules.push({ include, pattern });
    command.setOptionValue('filter', rules);
    return pattern;
  };
  return command
    .option('--include <glob>', 'take what matches; later rules win (repeatable)', collect(true))
    .option('--exclude <glob>', 'leave out what matches; later rules win (repeatable)', collect(false));
}

export interface PropertyFlags {
  storageClass?: string;
  metadata?: Record<string, string>;
  cacheControl?: string;
  contentType?: string;
  contentDisposition?: string;
  contentEncoding?: string;
}

const metadata = (text: string, before: Record<string, string> = {}): Record<string, string> => {
  const match = /^([A-Za-z0-9._-]+)=([\x20-\x7e]*)$/.exec(text);
  if (!match) throw new InvalidArgumentError('Say name=value, in ASCII.');
  return { ...before, [match[1]!.toLowerCase()]: match[2]! };
};

const headerValue = (text: string): string => {
  if (!/^[\x20-\x7e]+$/.test(text)) throw new InvalidArgumentError('Headers are printable ASCII.');
  return text;
};

export const propertyFlags = (command: Command): Command =>
  command
    .option('--storage-class <class>', 'such as STANDARD_IA', headerValue)
    .option('--metadata <name=value>', 'user metadata of every object (repeatable)', metadata)
    .option('--cache-control <value>', 'Cache-Control of every object', headerValue)
    .option('--content-type <type>', 'Content-Type of every object; by default guessed from its name', headerValue)
    .option('--content-disposition <value>', 'Content-Disposition of every object', headerValue)
    .option('--content-encoding <value>', 'Content-Encoding of every object', headerValue);

export interface TransferFlags extends CommonFlags, FilterFlags, PropertyFlags {
  dryRun?: true;
  partSize?: number;
  symlinks: 'follow' | 'skip';
  /** False with `--no-resume`. */
  resume: boolean;
  /** False with `--no-times`. */
  times: boolean;
  stateDir?: string;
}

export const transferFlags = (command: Command): Command =>
  propertyFlags(filterFlags(connectionFlags(command)))
    .option('-n, --dry-run', 'say what would be done and do nothing')
    .option('--part-size <size>', 'of large files; by default 8MiB, more where 10,000 parts would not suffice', partSize)
    .addOption(new Option('--symlinks <how>', 'what to do with symbolic links').choices(['follow', 'skip']).default('follow'))
    .option('--no-resume', 'keep no journal, and do not go on where the last run stopped')
    .option('--no-times', 'leave modification time and mode out of the metadata')
    .option('--state-dir <folder>', 'where journals lie (XDG_STATE_HOME)');
