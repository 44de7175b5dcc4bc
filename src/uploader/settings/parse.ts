import { normalizeExtension } from '../../protocol/names.js';
import { parseSize } from '../../protocol/sizes.js';
import type { Problem } from './problems.js';

/** Each parser gives the value, or null when there is none; what cannot be used is told to `report` and counts as none. */
type Report = (problem: Problem) => void;

/** Bytes: a number, `1048576`, `10MB` or `10MiB`. */
export function readSize(attribute: string, value: string | number | null, report: Report): number | null {
  if (value === null || value === '') return null;
  const bytes = parseSize(String(value));
  if (bytes !== undefined && bytes > 0) return bytes;
  report({ attribute, value: String(value), rule: 'Write bytes, or a number with a unit such as "10MB" or "10MiB".' });
  return null;
}

/** A whole number within bounds. */
export function readCount(
  attribute: string,
  value: string | number | null,
  bounds: { min: number; max: number },
  report: Report,
): number | null {
  if (value === null || value === '') return null;
  const count = Number(value);
  if (Number.isInteger(count) && count >= bounds.min && count <= bounds.max) return count;
  report({ attribute, value: String(value), rule: `Write a whole number from ${bounds.min} to ${bounds.max}.` });
  return null;
}

/** A number from 0 to 1. */
export function readShare(attribute: string, value: string | number | null, report: Report): number | null {
  if (value === null || value === '') return null;
  const share = Number(value);
  if (share >= 0 && share <= 1) return share;
  report({ attribute, value: String(value), rule: 'Write a number from 0 to 1.' });
  return null;
}

/** `pdf, png` or a list, with or without dots. */
export function readExtensions(attribute: string, value: string | readonly string[] | null, report: Report): string[] | null {
  if (value === null) return null;
  const parts = typeof value === 'string' ? value.split(/[\s,]+/).filter(Boolean) : value;
  const read = parts.map((part) => normalizeExtension(part));
  const bad = parts.filter((_, index) => read[index] === undefined);
  if (bad.length > 0)
    report({ attribute, value: bad.join(', '), rule: 'Write endings separated by commas, such as "pdf, png, tar.gz".' });
  const good = read.filter((one) => one !== undefined);
  return good.length > 0 ? good : null;
}

/** The `accept` attribute of `<input type=file>`: media types, `image/*`, endings with a dot. */
export function readAccept(value: string, report: Report): string[] | null {
  const entries = value
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter(Boolean);
  const bad = entries.filter((entry) => !/^(\.[^\s.,/][^\s,/]*|[a-z0-9!#$&^_.+-]+\/(\*|[a-z0-9!#$&^_.+-]+))$/.test(entry));
  if (bad.length > 0)
    report({ attribute: 'accept', value: bad.join(', '), rule: 'Write media types or endings, such as "image/*, .pdf".' });
  const good = entries.filter((entry) => !bad.includes(entry));
  return good.length > 0 && !good.includes('*/*') ? good : null;
}

/** One of a few words; what is not among them becomes the first. */
export function readChoice<T extends string>(attribute: string, value: string, choices: readonly T[], report: Report): T {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) report({ attribute, value, rule: `Write one of ${choices.map((c) => `"${c}"`).join(', ')}.` });
  return found ?? choices[0]!;
}
