import { S3Error } from './errors.js';

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

/** The size of a file's parts: the one asked for, or the next whole MiB with which 10,000 of them suffice. */
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

/**
 * The size of part `number` of a stream whose length nobody knows: parts double every thousand, so that 5 TiB fit
 * and a short stream needs little memory.
 */
export const streamPartSize = (number: number, first = DEFAULT_PART_SIZE): number =>
  Math.min(first * 2 ** Math.floor((number - 1) / 1000), MULTIPART.maxPart);
