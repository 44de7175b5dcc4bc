import type { ByteRange } from '../../storage/blob-storage.js';
import { S3ServiceError, invalidArgument } from '../errors.js';

const unsatisfiable = (header: string, size: number) =>
  new S3ServiceError('InvalidRange', undefined, {
    fields: { RangeRequested: header, ActualObjectSize: String(size) },
    headers: { 'content-range': `bytes */${size}` },
  });

/**
 * Parses a `Range` header. Both ends are inclusive.
 * @returns undefined for the whole object: without a header, for another unit, for several ranges (S3 supports one) and for a malformed header.
 * @throws S3ServiceError `InvalidRange` for a range outside the object.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | undefined {
  const match = /^bytes[ \t]*=([ \t\d]*)-([ \t\d]*)$/i.exec(header?.trim() ?? '');
  if (!match || header === undefined) return undefined;
  const [first, last] = [match[1]!.trim(), match[2]!.trim()];
  if ((first === '' && last === '') || !/^\d*$/.test(first) || !/^\d*$/.test(last)) return undefined;
  if (first === '') {
    const length = Number(last);
    if (length === 0 || size === 0) throw unsatisfiable(header, size);
    return { start: Math.max(0, size - length), end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= size) throw unsatisfiable(header, size);
  return { start, end };
}

/** Parses `x-amz-copy-source-range`, which must be `bytes=first-last`. @throws S3ServiceError `InvalidArgument`, `InvalidRange`. */
export function parseCopyRange(header: string | undefined, size: number): ByteRange {
  if (header === undefined) return { start: 0, end: size - 1 };
  const match = /^bytes=(\d+)-(\d+)$/.exec(header);
  if (!match || Number(match[2]) < Number(match[1]))
    throw invalidArgument(
      'x-amz-copy-source-range',
      header,
      'The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy',
    );
  if (Number(match[2]) >= size)
    throw new S3ServiceError('InvalidRange', `Range specified is not valid for source object of size: ${size}`, {
      fields: { RangeRequested: header, ActualObjectSize: String(size) },
    });
  return { start: Number(match[1]), end: Number(match[2]) };
}
