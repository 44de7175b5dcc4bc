import { opendirSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { basename, resolve } from 'node:path';
import { S3Error } from '../../../src/bulk/errors.js';
import type { Place } from '../../../src/bulk/types.js';
import { UsageError } from '../report-failure.js';

/** What an argument of a bulk command names. */
export type Spot =
  | ({ kind: 's3' } & Place)
  | { kind: 'local'; path: string; /** As it was typed. */ text: string; /** Written with a slash at the end. */ folder: boolean }
  /** Standard input or output. */
  | { kind: 'pipe' };

/** `-`, `s3://bucket/prefix` or a local path. @throws UsageError */
export function parseSpot(text: string): Spot {
  if (text === '-') return { kind: 'pipe' };
  // A path of no letters is the working directory, and all that is in it.
  if (text === '') throw new UsageError('an argument is empty where a place is needed: a variable that is not set?');
  if (!/^s3:\/\//i.test(text))
    return { kind: 'local', path: resolve(text), text, folder: /[/\\]$/.test(text) || text === '.' || text === '..' };
  const rest = text.slice('s3://'.length);
  const slash = rest.indexOf('/');
  const bucket = slash < 0 ? rest : rest.slice(0, slash);
  if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i.test(bucket))
    throw new UsageError(
      `${text}: "${bucket}" is no name of a bucket, which has 3 to 63 small letters, digits, dots and hyphens, and begins and ends with one of the former two`,
    );
  return { kind: 's3', bucket, prefix: slash < 0 ? '' : rest.slice(slash + 1) };
}

/** @throws UsageError when it is none. */
export function s3Spot(text: string): Place {
  const spot = parseSpot(text);
  if (spot.kind !== 's3') throw new UsageError(`${text}: this command works on s3://bucket/prefix`);
  return { bucket: spot.bucket, prefix: spot.prefix };
}

/** @throws UsageError when it names no bucket, or more. */
export function bucketOf(text: string): string {
  const spot = parseSpot(text);
  if (spot.kind !== 's3' || spot.prefix !== '') throw new UsageError(`${text}: this command takes a bucket, s3://bucket`);
  return spot.bucket;
}

/** A prefix that stands for a folder: everything below it and nothing beside it. */
export const asFolder = ({ bucket, prefix }: Place): Place => ({
  bucket,
  prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`,
});

/** The key of a single file: below a prefix that is a folder, else the prefix itself. */
export const keyFor = (prefix: string, path: string): string =>
  prefix === '' || prefix.endsWith('/') ? prefix + basename(path) : prefix;

export const isFile = (path: string): boolean => statOf(path)?.isFile() === true;

export const isDirectory = (path: string): boolean => statOf(path)?.isDirectory() === true;

/** Why there is none tells whoever opens it. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/**
 * A source that is no directory fails by the name that was typed, and no object of its name.
 * @param instead what to do where it is a file @throws UsageError there, else S3Error `SourceUnreadable`
 */
export function checkDirectory({ text, path }: { text: string; path: string }, instead = 'use cp'): void {
  if (isFile(path)) throw new UsageError(`${text} is a file: ${instead}`);
  try {
    opendirSync(path).closeSync();
  } catch (error) {
    throw new S3Error('SourceUnreadable', `${text}: ${(error as Error).message}`, { cause: error });
  }
}
