import { opendirSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { basename, resolve } from 'node:path';
import { S3Error } from '../../../src/bulk/errors.js';
import type { Place } from '../../../src/bulk/types.js';
import { UsageError } from '../errors.js';

/** A location that an argument names. */
export type Location =
  | ({ kind: 's3' } & Place)
  | { kind: 'local'; path: string; /** The argument itself. */ text: string; /** True if it ends in a slash. */ folder: boolean }
  /** Standard input or output. */
  | { kind: 'pipe' };

/** Parses `-`, `s3://bucket/prefix` or a local path. @throws UsageError */
export function parseLocation(text: string): Location {
  if (text === '-') return { kind: 'pipe' };
  // An empty path would be the working directory.
  if (text === '') throw new UsageError('a location is empty. Is a variable of your shell not set?');
  if (!/^s3:\/\//i.test(text))
    return { kind: 'local', path: resolve(text), text, folder: /[/\\]$/.test(text) || text === '.' || text === '..' };
  const rest = text.slice('s3://'.length);
  const slash = rest.indexOf('/');
  const bucket = slash < 0 ? rest : rest.slice(0, slash);
  if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i.test(bucket))
    throw new UsageError(
      `${text}: "${bucket}" is not a bucket name. It must have 3 to 63 lower-case letters, digits, dots and hyphens, and begin and end with a letter or digit`,
    );
  return { kind: 's3', bucket, prefix: slash < 0 ? '' : rest.slice(slash + 1) };
}

/** Parses s3://bucket/prefix. @throws UsageError for other locations */
export function parseS3Location(text: string): Place {
  const location = parseLocation(text);
  if (location.kind !== 's3') throw new UsageError(`${text}: this command needs s3://bucket/prefix`);
  return { bucket: location.bucket, prefix: location.prefix };
}

/** Parses s3://bucket. @throws UsageError for other locations */
export function parseBucket(text: string): string {
  const location = parseLocation(text);
  if (location.kind !== 's3' || location.prefix !== '') throw new UsageError(`${text}: this command needs a bucket, s3://bucket`);
  return location.bucket;
}

/** Adds a slash to a prefix, so that it matches only what is below it. */
export const asFolder = ({ bucket, prefix }: Place): Place => ({
  bucket,
  prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`,
});

/** Returns the key of a single file: below the prefix if it ends in a slash, else the prefix itself. */
export const keyForFile = (prefix: string, path: string): string =>
  prefix === '' || prefix.endsWith('/') ? prefix + basename(path) : prefix;

export const isFile = (path: string): boolean => statOf(path)?.isFile() === true;

export const isDirectory = (path: string): boolean => statOf(path)?.isDirectory() === true;

/** Errors are reported when the path is opened. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/**
 * Checks that a source is a readable directory.
 * @param instead advice if it is a file
 * @throws UsageError if it is a file, S3Error `SourceUnreadable`
 */
export function checkDirectory({ text, path }: { text: string; path: string }, instead = 'use cp'): void {
  if (isFile(path)) throw new UsageError(`${text} is a file: ${instead}`);
  try {
    opendirSync(path).closeSync();
  } catch (error) {
    throw new S3Error('SourceUnreadable', `${text}: ${(error as Error).message}`, { cause: error });
  }
}
