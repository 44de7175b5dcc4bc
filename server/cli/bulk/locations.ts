import { opendirSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { basename, resolve } from 'node:path';
import { S3Error } from '../../../src/bulk/errors.js';
import type { Place } from '../../../src/bulk/types.js';
import { UsageError } from '../errors.js';

/** A parsed argument that names a location. */
export type Location =
  | ({ kind: 's3' } & Place)
  | LocalLocation
  /** Standard input or output. */
  | { kind: 'pipe' };

export interface LocalLocation {
  kind: 'local';
  /** The absolute path. */
  path: string;
  /** The argument as the person wrote it, for messages. */
  text: string;
  /** True if the argument states a folder: it ends in a slash, or is `.` or `..`. */
  isFolder: boolean;
}

/** Parses `-`, `s3://bucket/prefix` or a local path. @throws UsageError */
export function parseLocation(text: string): Location {
  if (text === '-') return { kind: 'pipe' };
  // `resolve('')` would return the working directory.
  if (text === '') throw new UsageError('a location must not be empty: check that your shell variable is set');
  if (!/^s3:\/\//i.test(text))
    return { kind: 'local', path: resolve(text), text, isFolder: /[/\\]$/.test(text) || text === '.' || text === '..' };
  const rest = text.slice('s3://'.length);
  const slash = rest.indexOf('/');
  const bucket = slash < 0 ? rest : rest.slice(0, slash);
  if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i.test(bucket))
    throw new UsageError(
      `${text}: "${bucket}" is not a bucket name. A bucket name has 3 to 63 lower-case letters, digits, dots and hyphens, and begins and ends with a letter or digit`,
    );
  return { kind: 's3', bucket, prefix: slash < 0 ? '' : rest.slice(slash + 1) };
}

/** Parses s3://bucket/prefix. @throws UsageError for other locations */
export function parseS3Location(text: string): Place {
  const location = parseLocation(text);
  if (location.kind !== 's3') throw new UsageError(`${text}: this command needs a location in S3, s3://bucket/prefix`);
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

/** Returns the key of a single file. A prefix that ends in a slash gets the name of the file; any other prefix is the key. */
export const keyForFile = (prefix: string, path: string): string =>
  prefix === '' || prefix.endsWith('/') ? prefix + basename(path) : prefix;

export const isFile = (path: string): boolean => statOf(path)?.isFile() === true;

export const isDirectory = (path: string): boolean => statOf(path)?.isDirectory() === true;

/** Ignores errors. They are reported when the path is opened. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/**
 * Checks that a source is a readable directory.
 * @param advice what to do if it is a file
 * @throws UsageError if it is a file, S3Error `SourceUnreadable`
 */
export function checkDirectory({ text, path }: { text: string; path: string }, advice = 'use cp'): void {
  if (isFile(path)) throw new UsageError(`${text} is a file: ${advice}`);
  try {
    opendirSync(path).closeSync();
  } catch (error) {
    throw new S3Error('SourceUnreadable', `${text}: ${(error as Error).message}`, { cause: error });
  }
}
