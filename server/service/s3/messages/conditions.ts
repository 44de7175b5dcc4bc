import { S3ServiceError } from '../errors.js';
import type { S3Request } from './request.js';

/** The properties of an object that conditional requests are compared with. */
export interface Validators {
  /** Without quotes. */
  etag: string;
  /** ms since 1970. */
  modifiedAt: number;
}

const toSeconds = (time: number) => Math.floor(time / 1000);

/** Parses the entity tags of a header. Quotes and `W/` are removed; `*` is kept. */
export const parseEntityTags = (header: string): string[] =>
  header
    .split(',')
    .map((tag) =>
      tag
        .trim()
        .replace(/^W\//, '')
        .replace(/^"(.*)"$/, '$1'),
    )
    .filter((tag) => tag !== '');

const matches = (header: string, etag: string) => parseEntityTags(header).some((tag) => tag === '*' || tag === etag);

/** Reads a date header in seconds. An invalid date is ignored (RFC 9110, 13.1.3). */
function dateHeader(request: S3Request, name: string): number | undefined {
  const text = request.headers.get(name);
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : toSeconds(time);
}

const failed = (condition: string) => new S3ServiceError('PreconditionFailed', undefined, { fields: { Condition: condition } });

/** Checks the conditions of a read in the order of RFC 9110, 13.2.2. @throws S3ServiceError `NotModified`, `PreconditionFailed`. */
export function checkReadConditions(request: S3Request, { etag, modifiedAt }: Validators): void {
  const ifMatch = request.headers.get('if-match');
  const ifNoneMatch = request.headers.get('if-none-match');
  const unmodified = dateHeader(request, 'if-unmodified-since');
  const modified = dateHeader(request, 'if-modified-since');
  if (ifMatch !== undefined && !matches(ifMatch, etag)) throw failed('If-Match');
  if (ifMatch === undefined && unmodified !== undefined && toSeconds(modifiedAt) > unmodified)
    throw failed('If-Unmodified-Since');
  const unchanged =
    ifNoneMatch === undefined ? modified !== undefined && toSeconds(modifiedAt) <= modified : matches(ifNoneMatch, etag);
  if (unchanged)
    throw new S3ServiceError('NotModified', undefined, {
      headers: { etag: `"${etag}"`, 'last-modified': new Date(modifiedAt).toUTCString() },
    });
}

/** Checks the conditions on the source of a copy (`x-amz-copy-source-if-…`). @throws S3ServiceError `PreconditionFailed` */
export function checkCopyConditions(request: S3Request, { etag, modifiedAt }: Validators): void {
  const name = (suffix: string) => `x-amz-copy-source-if-${suffix}`;
  const ifMatch = request.headers.get(name('match'));
  const ifNoneMatch = request.headers.get(name('none-match'));
  const unmodified = dateHeader(request, name('unmodified-since'));
  const modified = dateHeader(request, name('modified-since'));
  if (ifMatch !== undefined && !matches(ifMatch, etag)) throw failed(name('match'));
  if (ifMatch === undefined && unmodified !== undefined && toSeconds(modifiedAt) > unmodified)
    throw failed(name('unmodified-since'));
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, etag)) throw failed(name('none-match'));
  if (ifNoneMatch === undefined && modified !== undefined && toSeconds(modifiedAt) <= modified)
    throw failed(name('modified-since'));
}

/** Reads the conditions of a write. The storage checks them when it commits. @throws S3ServiceError `NotImplemented` for two conditions. */
export function writeConditions(request: S3Request): { ifMatch?: string; ifNoneMatch?: string } {
  const ifMatch = request.headers.get('if-match');
  const ifNoneMatch = request.headers.get('if-none-match');
  if (ifMatch !== undefined && ifNoneMatch !== undefined)
    throw new S3ServiceError('NotImplemented', 'A write may have If-Match or If-None-Match, not both.');
  if (ifNoneMatch !== undefined) {
    if (ifNoneMatch.trim() !== '*') return { ifNoneMatch: parseEntityTags(ifNoneMatch)[0] ?? '' };
    return { ifNoneMatch: '*' };
  }
  return ifMatch === undefined ? {} : { ifMatch: parseEntityTags(ifMatch)[0] ?? '' };
}
