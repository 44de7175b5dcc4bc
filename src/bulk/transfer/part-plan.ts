import { S3Error } from '../errors.js';

const MiB = 1024 * 1024;

/** S3's limits of multipart uploads. @see AWS, "Amazon S3 multipart upload limits" */
export const MULTIPART = { minPart: 5 * MiB, maxPart: 5 * 1024 * MiB, maxParts: 10_000, maxObject: 5 * 1024 ** 4 } as const;

/** Default part size. Files that would need more than 10,000 parts get larger ones. */
export const DEFAULT_PART_SIZE = 8 * MiB;

/** One part of a file. Numbers count from 1. */
export interface Part {
  number: number;
  start: number;
  size: number;
}

/**
 * Returns the size of a file's parts: the requested size, or the smallest number of whole MiB with which 10,000 parts suffice.
 * @param size bytes of the file
 * @param requested bytes of a part
 * @throws S3Error `EntityTooLarge`
 */
export function partSizeFor(size: number, requested = DEFAULT_PART_SIZE): number {
  if (size > MULTIPART.maxObject)
    throw new S3Error('EntityTooLarge', `An S3 object has at most 5 TiB. This one would have ${size} bytes.`);
  const needed = Math.ceil(size / MULTIPART.maxParts / MiB) * MiB;
  return Math.max(requested, needed, MULTIPART.minPart);
}

/** Returns the number of parts of a file. An empty file has one. */
export const partCount = (size: number, partSize: number): number => Math.max(1, Math.ceil(size / partSize));

/** Returns the part with this number. The last part may be shorter than `partSize`. */
export function partAt(number: number, size: number, partSize: number): Part {
  const start = (number - 1) * partSize;
  return { number, start, size: Math.min(partSize, size - start) };
}

/** Share of the 10,000 parts that the expected length of a stream may take. The rest is for a longer stream. */
const EXPECTED_SHARE = 0.8;

/**
 * Returns the part sizes of a stream of unknown length by part number. They double every thousand parts, so that 5 TiB fit and
 * a short stream needs little memory. With an `expected` length, the expected parts have one size, and later parts double every
 * hundred.
 */
export function streamPartSizes(requested = DEFAULT_PART_SIZE, expected = 0): (number: number) => number {
  const first = partSizeFor(Math.min(expected / EXPECTED_SHARE, Math.max(expected, MULTIPART.maxObject)), requested);
  const expectedParts = expected === 0 ? 0 : partCount(expected, first);
  const partsPerDoubling = expected === 0 ? 1000 : 100;
  return (number) => {
    const doublings = Math.max(0, Math.floor((number - expectedParts - 1) / partsPerDoubling));
    return Math.min(first * 2 ** doublings, MULTIPART.maxPart);
  };
}
