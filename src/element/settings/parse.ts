import { normalizeExtension } from '../../protocol/file-names.js';
import { parseSize } from '../../protocol/sizes.js';
import type { ReportProblem } from './problems.js';

// Each parser gives the value, or null when there is none; what cannot be used is told to `report` and counts as none.

/** Bytes: a number, `1048576`, `10MB` or `10MiB`. */
export function readSize(attribute: string, value: string | number | null, report: ReportProblem): number | null {
  if (value === null || value === '') return null;
  const bytes = parseSize(String(value));
  if (bytes !== undefined && bytes > 0) return bytes;
  report(attribute, value, 'Write bytes, or a number with a unit such as "10MB" or "10MiB".');
  return null;
}

/** A number within bounds, whole where nothing else is said. */
export function readNumber(
  attribute: string,
  value: string | number | null,
  { min, max, whole = true }: { min: number; max: number; whole?: boolean },
  report: ReportProblem,
): number | null {
  if (value === null || value === '') return null;
  const number = Number(value);
  // Blanks would be 0.
  if (/\S/.test(String(value)) && number >= min && number <= max && (!whole || Number.isInteger(number))) return number;
  report(attribute, value, `Write a ${whole ? 'whole ' : ''}number from ${min} to ${max}.`);
  return null;
}

/** `pdf, png` or a list, with or without dots. */
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
  const bad = parts.filter((_, index) => read[index] === undefined);
  if (bad.length > 0) report(attribute, bad.join(', '), 'Write endings separated by commas, such as "pdf, png, tar.gz".');
  const good = read.filter((one) => one !== undefined);
  return good.length > 0 ? good : null;
}

/** The `accept` attribute of `<input type=file>`: media types, `image/*`, endings with a dot. */
export function readAccept(value: string, report: ReportProblem): string[] | null {
  const entries = value
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter(Boolean);
  const bad = entries.filter((entry) => !/^(\.[^\s.,/][^\s,/]*|[a-z0-9!#$&^_.+-]+\/(\*|[a-z0-9!#$&^_.+-]+))$/.test(entry));
  if (bad.length > 0) report('accept', bad.join(', '), 'Write media types or endings, such as "image/*, .pdf".');
  const good = entries.filter((entry) => !bad.includes(entry));
  return good.length > 0 && !good.includes('*/*') ? good : null;
}

/** One of a few words; what is not among them becomes the first. */
export function readChoice<T extends string>(attribute: string, value: string, choices: readonly T[], report: ReportProblem): T {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) report(attribute, value, `Write one of ${choices.map((c) => `"${c}"`).join(', ')}.`);
  return found ?? choices[0]!;
}
