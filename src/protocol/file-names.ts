import { PATH } from './limits.js';
import { segmentProblem, utf8Length } from './paths.js';
import { splitName } from './extensions.js';
import { trimEndOf } from './trim.js';

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
