import { normalizeExtension } from '../../protocol/extensions.js';
import { parseSize } from '../../protocol/sizes.js';
import type { ReportProblem } from './problems.js';

// Each parser returns null if the attribute is not set. Invalid values are passed to `report` and count as not set.

/** Reads a size in bytes: `1048576`, `10MB` or `10MiB`. */
export function readSize(attribute: string, value: string | number | null, report: ReportProblem): number | null {
  if (value === null || value === '') return null;
  const bytes = parseSize(String(value));
  if (bytes !== undefined && bytes > 0) return bytes;
  report(attribute, value, 'Write bytes, or a number with a unit such as "10MB" or "10MiB".');
  return null;
}

/** Reads a number between `min` and `max`. */
export function readNumber(
  attribute: string,
  value: string | number | null,
  { min, max, whole = true }: { min: number; max: number; whole?: boolean },
  report: ReportProblem,
): number | null {
  if (value === null || value === '') return null;
  const number = Number(value);
  // `Number` converts blanks to 0.
  if (/\S/.test(String(value)) && number >= min && number <= max && (!whole || Number.isInteger(number))) return number;
  report(attribute, value, `Write a ${whole ? 'whole ' : ''}number from ${min} to ${max}.`);
  return null;
}

/** Reads extensions from text (`pdf, png`) or a list, with or without dots. */
export function readExtensions(
  attribute: string,
  value: string | readonly string[] | null,
  report: ReportProblem,
): string[] | null {
  if (value === null) return null;
  const parts = Array.isArray(value)
    ? value.map(String)
    : String(value)
        .split(/[\s,]+/)
        .filter(Boolean);
  const read = parts.map(normalizeExtension);
  const invalid = parts.filter((_, index) => read[index] === undefined);
  if (invalid.length > 0)
    report(attribute, invalid.join(', '), 'Write extensions separated by commas, such as "pdf, png, tar.gz".');
  const valid = read.filter((extension) => extension !== undefined);
  return valid.length > 0 ? valid : null;
}

/** Reads the `accept` attribute of `<input type=file>`: media types, `image/*`, extensions with a dot. */
export function readAccept(value: string, report: ReportProblem): string[] | null {
  const entries = value
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter(Boolean);
  const invalid = entries.filter((entry) => !/^(\.[^\s.,/][^\s,/]*|[a-z0-9!#$&^_.+-]+\/(\*|[a-z0-9!#$&^_.+-]+))$/.test(entry));
  if (invalid.length > 0) report('accept', invalid.join(', '), 'Write media types or extensions, such as "image/*, .pdf".');
  const valid = entries.filter((entry) => !invalid.includes(entry));
  return valid.length > 0 && !valid.includes('*/*') ? valid : null;
}

/** Reads one of the given words. Any other value becomes the first one. */
export function readChoice<T extends string>(attribute: string, value: string, choices: readonly T[], report: ReportProblem): T {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) report(attribute, value, `Write one of ${choices.map((c) => `"${c}"`).join(', ')}.`);
  return found ?? choices[0]!;
}
