import { PATH } from './limits.js';
import { segmentProblem, utf8Length } from './paths.js';
import { trimEndOf } from './trim.js';

/**
 * The extension of a file's final name: what follows the last dot, case-folded, '' when there is none.
 * A leading dot alone (`.env`) names a file, not an extension.
 */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
}

/** An extension as people write it (`.PDF`, `pdf`, `tar.gz`) in its one form; undefined when it cannot be one. */
export function normalizeExtension(text: string): string | undefined {
  const extension = text.trim().replace(/^\./, '').toLowerCase();
  return /^[a-z0-9][a-z0-9+_-]*(\.[a-z0-9][a-z0-9+_-]*){0,3}$/.test(extension) && extension.length <= 32 ? extension : undefined;
}

/** Whether a name has one of the (normalised) extensions; an allowed `tar.gz` matches the whole ending. */
export function hasAllowedExtension(name: string, allowed: readonly string[]): boolean {
  const lower = name.toLowerCase();
  const extension = extensionOf(name);
  return allowed.some((one) =>
    one.includes('.') ? lower.endsWith(`.${one}`) && lower.length > one.length + 1 : extension === one,
  );
}

/** Cuts to a number of UTF-8 bytes without splitting a character. */
function cut(text: string, maxBytes: number): string {
  let used = 0;
  let out = '';
  for (const character of text) {
    used += utf8Length(character);
    if (used > maxBytes) break;
    out += character;
  }
  return out;
}

/** The longest extension that counts as a name's ending. Characters. */
const MAX_EXTENSION = 32;

/** Splits a name before its ending, keeping double endings such as `.tar.gz` whole. */
export function splitName(name: string): { stem: string; ending: string } {
  const dot = name.lastIndexOf('.');
  const length = name.length - dot - 1;
  if (dot < 1 || length < 1 || length > MAX_EXTENSION) return { stem: name, ending: '' };
  const at = dot > 4 && name.slice(dot - 4, dot).toLowerCase() === '.tar' ? dot - 4 : dot;
  return { stem: name.slice(0, at), ending: name.slice(at) };
}

/** A name longer than this keeps its beginning and its ending: far more than what fits a segment. Characters. */
const MAX_NAME = 1024;

/** The last segment of a name, without the dots and blanks at its end, of bounded length. What follows may take its time. */
function boundedName(name: string): string {
  const segment = trimEndOf(name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1), '. ');
  if (segment.length <= MAX_NAME) return segment;
  return segment.slice(0, MAX_NAME / 2) + segment.slice(-MAX_NAME / 2);
}

/**
 * Makes a person's file name safe: NFC, the last segment only, what a stated path may not hold becomes `-`, cut to fit with
 * its ending kept. Never empty, never refused: the answer to the upload tells the path it got.
 */
export function safeFileName(name: string, maxBytes: number = PATH.segmentMaxBytes): string {
  // toWellFormed: Node 20 and every current engine have it; lone surrogates become U+FFFD.
  let safe = (boundedName(name) as string & { toWellFormed(): string }).toWellFormed().normalize('NFC');
  safe = Array.from(safe, (character) => (segmentProblem(`x${character}x`) ? '-' : character)).join('');
  // Blanks of other kinds first: they may hide a dot.
  safe = trimEndOf(safe.replace(/\ufffd/g, '-').trim(), '. ');
  if (safe === '' || /^\.+$/.test(safe)) safe = 'file';
  if (segmentProblem(cut(safe, PATH.segmentMaxBytes))?.includes('device name')) safe = `-${safe}`;
  if (utf8Length(safe) <= maxBytes) return safe;
  const { stem, ending } = splitName(safe);
  const kept = trimEndOf(cut(ending, Math.floor(maxBytes / 2)), '. ');
  return trimEndOf(cut(stem, maxBytes - utf8Length(kept)), '. ') + kept || 'file';
}

/** `name.ext` → `name-<suffix>.ext`, cut to a segment's limit. */
export function withSuffix(name: string, suffix: string): string {
  const { stem, ending } = splitName(safeFileName(name, PATH.segmentMaxBytes - suffix.length - 1));
  return `${stem}-${suffix}${ending}`;
}
