import { InvalidArgumentError } from 'commander';
import { compileGlob } from '../../../src/bulk/list/glob.js';
import { MULTIPART } from '../../../src/bulk/transfer/part-plan.js';
import { parseSize } from '../../../src/protocol/sizes.js';

// Each function parses the value of a flag. Commander adds the flag and the value to the InvalidArgumentError of each parser.

/** Rejects an empty value, which usually comes from an unset shell variable. */
export const parseNonEmpty = (text: string): string => {
  if (text === '') throw new InvalidArgumentError('It must not be empty. Check that your shell variable is set.');
  return text;
};

/** Parses a size such as `16MiB`. @returns bytes, from 1 */
export const parseSizeFlag = (text: string): number => {
  const bytes = parseSize(text);
  if (bytes === undefined || bytes < 1) throw new InvalidArgumentError('It must be a size such as 16MiB or 10MB.');
  return bytes;
};

/** Parses a rate such as `16MiB` or `16MiB/s`. @returns bytes per second, from 1 */
export const parseRateFlag = (text: string): number => parseSizeFlag(text.replace(/\/s$/i, ''));

export const parsePartSize = (text: string): number => {
  const bytes = parseSizeFlag(text);
  if (bytes < MULTIPART.minPart || bytes > MULTIPART.maxPart) throw new InvalidArgumentError('It must be from 5MiB to 5GiB.');
  return bytes;
};

export const parseCount =
  (min: number, max: number) =>
  (text: string): number => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < min || number > max)
      throw new InvalidArgumentError(`It must be a number from ${min} to ${max}.`);
    return number;
  };

const UNITS_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Converts an age such as `30m`, `12h` or `7d` to milliseconds. 0 needs no unit. */
export const parseAge = (text: string): number => {
  const [, number, unit] = /^(\d+)([smhd])$/.exec(text === '0' ? '0s' : text) ?? [];
  if (unit === undefined) throw new InvalidArgumentError('It must be an age such as 30m, 12h or 7d.');
  return Number(number) * UNITS_MS[unit as keyof typeof UNITS_MS];
};

export const parseGlob = (pattern: string): string => {
  parseNonEmpty(pattern);
  try {
    compileGlob(pattern);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
  return pattern;
};

/** Adds one `--metadata name=value` to the earlier ones. Names are case-insensitive, because they become header names. */
export const parseMetadata = (text: string, earlier: Record<string, string> = {}): Record<string, string> => {
  const [, name, value] = /^([A-Za-z0-9._-]+)=([\x20-\x7e]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It must be name=value in ASCII.');
  return { ...earlier, [name.toLowerCase()]: value };
};

export const parseHeader = (text: string): string => {
  if (!/^[\x20-\x7e]+$/.test(text)) throw new InvalidArgumentError('It must be printable ASCII.');
  return text;
};

/** Returns tags in the form encoding of the header `x-amz-tagging`. */
export const parseTags = (text: string): string => {
  const pairs = new URLSearchParams(text);
  if (![...pairs.keys()].every(Boolean) || pairs.size === 0) throw new InvalidArgumentError('It must be name=value&name=value.');
  return pairs.toString().replaceAll('+', '%20');
};

/** An ISO 8601 date or time, or an HTTP date. `Date` alone would also accept "day 7". */
const DATE =
  /^(?:\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT)$/;

/** Returns whether the day exists. `Date` would turn 31 February into a day of March. */
const isRealDay = (text: string, time: Date): boolean => {
  const isHttpDate = !/^\d/.test(text);
  if (isHttpDate) return time.toUTCString() === text;
  const day = text.slice(0, 'yyyy-mm-dd'.length);
  return new Date(day).toISOString().startsWith(day);
};

/** Converts a date to the format of HTTP headers. */
export const parseDate = (text: string): string => {
  const time = new Date(text);
  if (!DATE.test(text) || Number.isNaN(time.getTime()) || !isRealDay(text, time))
    throw new InvalidArgumentError('It must be a date such as 2030-01-31T12:00:00Z.');
  return time.toUTCString();
};
