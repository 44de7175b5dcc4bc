import { S3Error } from '../errors.js';

const MiB = 1024 * 1024;

/** S3's bounds on multipart uploads. Source: AWS, "Amazon S3 multipart upload limits". */
export const MULTIPART = { minPart: 5 * MiB, maxPart: 5 * 1024 * MiB, maxParts: 10_000, maxObject: 5 * 1024 ** 4 } as const;

/** What a part has unless a file is so large that it would need more than 10,000 of them. */
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

/** Of the parts there may be, those for what is expected of a stream; the others are for its being longer. */
const EXPECTED_SHARE = 0.8;

/**
 * The sizes of the parts of a stream whose length nobody knows, by their numbers: they double every thousand, so that 5 TiB fit and
 * a short stream needs little memory. Those of what is `expected` are of one size, and what comes after doubles every hundred.
 */
export function streamPartSizes(wanted = DEFAULT_PART_SIZE, expected = 0): (number: number) => number {
  const first = partSizeFor(Math.min(expected / EXPECTED_SHARE, Math.max(expected, MULTIPART.maxObject)), wanted);
  const sure = expected === 0 ? 0 : partCount(expected, first);
  const step = expected === 0 ? 1000 : 100;
  return (number) => Math.min(first * 2 ** Math.max(0, Math.floor((number - sure - 1) / step)), MULTIPART.maxPart);
}
