import { S3Error } from '../errors.js';

const MiB = 1024 * 1024;

/** S3's bounds on multipart uploads. Source: AWS, "Amazon S3 multipart upload limits". */
export const MULTIPART = { minPart: 5 * MiB, maxPart: 5 * 1024 * MiB, maxParts: 10_000, maxObject: 5 * 1024 ** 4 } as const;

/** Default part size. Files that would need more than 10,000 parts get larger ones. */
export const DEFAULT_PART_SIZE = 8 * MiB;

/** One piece of a file. Numbers count from 1. */
export interface Part {
  number: number;
  start: number;
  size: number;
}

/**
 * The size of a file's parts: the one asked for, or the next whole MiB with which 10,000 of them suffice.
 * @throws S3Error `EntityTooLarge`
 */
export function partSizeFor(size: number, wanted = DEFAULT_PART_SIZE): number {
  if (size > MULTIPART.maxObject) throw new S3Error('EntityTooLarge', 'S3 takes objects of 5 TiB at most.');
  const needed = Math.ceil(size / MULTIPART.maxParts / MiB) * MiB;
  return Math.max(wanted, needed, MULTIPART.minPart);
}

export const partCount = (size: number, partSize: number): number => Math.max(1, Math.ceil(size / partSize));

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
export function streamPartSizes(wanted = DEFAULT_PART_SIZE, expected = 0): (number: number) => number {
  const first = partSizeFor(Math.min(expected / EXPECTED_SHARE, Math.max(expected, MULTIPART.maxObject)), wanted);
  const sure = expected === 0 ? 0 : partCount(expected, first);
  const step = expected === 0 ? 1000 : 100;
  return (number) => Math.min(first * 2 ** Math.max(0, Math.floor((number - sure - 1) / step)), MULTIPART.maxPart);
}
