import { S3Error } from '../errors.js';
import type { S3Request } from './request.js';

/** What a conditional request is judged by. */
export interface Validators {
  /** Without quotes. */
  etag: string;
  /** ms since 1970. */
  modifiedAt: number;
}

const seconds = (time: number) => Math.floor(time / 1000);

/** Entity tags of a header, without quotes and weakness; `*` stands for any. */
export const entityTags = (header: string): string[] =>
  header
    .split(',')
    .map((one) =>
      one
        .trim()
        .replace(/^W\//, '')
        .replace(/^"(.*)"$/, '$1'),
    )
    .filter((one) => one !== '');

const matches = (header: string, etag: string) => entityTags(header).some((one) => one === '*' || one === etag);

/** A date that cannot be read is as good as none (RFC 9110, 13.1.3). */
function dateHeader(request: S3Request, name: string): number | undefined {
  const text = request.headers.get(name);
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : seconds(time);
}

const failed = (condition: string) => new S3Error('PreconditionFailed', undefined, { fields: { Condition: condition } });

/** Conditions of a read, in the order of RFC 9110, 13.2.2. @throws S3Error 304 or 412. */
export function checkReadConditions(request: S3Request, { etag, modifiedAt }: Validators): void {
  const ifMatch = request.headers.get('if-match');
  const ifNoneMatch = request.headers.get('if-none-match');
  const unmodified = dateHeader(request, 'if-unmodified-since');
  const modified = dateHeader(request, 'if-modified-since');
  if (ifMatch !== undefined && !matches(ifMatch, etag)) throw failed('If-Match');
  if (ifMatch === undefined && unmodified !== undefined && seconds(modifiedAt) > unmodified) throw failed('If-Unmodified-Since');
  const unchanged =
    ifNoneMatch === undefined ? modified !== undefined && seconds(modifiedAt) <= modified : matches(ifNoneMatch, etag);
  if (unchanged)
    throw new S3Error('NotModified', undefined, {
      headers: { etag: `"${etag}"`, 'last-modified': new Date(modifiedAt).toUTCString() },
    });
}

/** Conditions on the source of a copy (`x-amz-copy-source-if-…`): all that fails is a 412. */
export function checkCopyConditions(request: S3Request, { etag, modifiedAt }: Validators): void {
  const name = (rest: string) => `x-amz-copy-source-if-${rest}`;
  const ifMatch = request.headers.get(name('match'));
  const ifNoneMatch = request.headers.get(name('none-match'));
  const unmodified = dateHeader(request, name('unmodified-since'));
  const modified = dateHeader(request, name('modified-since'));
  if (ifMatch !== undefined && !matches(ifMatch, etag)) throw failed(name('match'));
  if (ifMatch === undefined && unmodified !== undefined && seconds(modifiedAt) > unmodified)
    throw failed(name('unmodified-since'));
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, etag)) throw failed(name('none-match'));
  if (ifNoneMatch === undefined && modified !== undefined && seconds(modifiedAt) <= modified)
    throw failed(name('modified-since'));
}

/** Conditions of a write, judged when it commits. @throws S3Error `NotImplemented` for what S3 does not offer on writes. */
export function writeConditions(request: S3Request): { ifMatch?: string; ifNoneMatch?: string } {
  const ifMatch = request.headers.get('if-match');
  const ifNoneMatch = request.headers.get('if-none-match');
  if (ifMatch !== undefined && ifNoneMatch !== undefined)
    throw new S3Error('NotImplemented', 'A write may have If-Match or If-None-Match, not both.');
  if (ifNoneMatch !== undefined) {
    if (ifNoneMatch.trim() !== '*') return { ifNoneMatch: entityTags(ifNoneMatch)[0] ?? '' };
    return { ifNoneMatch: '*' };
  }
  return ifMatch === undefined ? {} : { ifMatch: entityTags(ifMatch)[0] ?? '' };
}
