import { PATH } from './limits.js';
import { findSegmentProblem, utf8Length } from './paths.js';
import { splitName } from './extensions.js';
import { trimEndCharacters } from './trim.js';

/** Cuts to a number of UTF-8 bytes without splitting a character. */
function truncateToBytes(text: string, maxBytes: number): string {
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
const MAX_NAME_LENGTH = 1024;

/** The last segment of a name, without the dots and blanks at its end, of bounded length. What follows may take its time. */
function takeLastSegment(name: string): string {
  const segment = trimEndCharacters(name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1), '. ');
  if (segment.length <= MAX_NAME_LENGTH) return segment;
  return segment.slice(0, MAX_NAME_LENGTH / 2) + segment.slice(-MAX_NAME_LENGTH / 2);
}

/**
 * Makes a person's file name safe: NFC, the last segment only, what a stated path may not hold becomes `-`, cut to fit with
 * its ending kept. Never empty, never refused: the answer to the upload tells the path it got.
 */
export function toSafeFileName(name: string, maxBytes: number = PATH.segmentMaxBytes): string {
  // toWellFormed: Node 20 and every current engine have it; lone surrogates become U+FFFD.
  let safe = (takeLastSegment(name) as string & { toWellFormed(): string }).toWellFormed().normalize('NFC');
  safe = Array.from(safe, (character) => (findSegmentProblem(`x${character}x`) ? '-' : character)).join('');
  // Blanks of other kinds first: they may hide a dot.
  safe = trimEndCharacters(safe.replace(/\ufffd/g, '-').trim(), '. ');
  if (safe === '' || /^\.+$/.test(safe)) safe = 'file';
  if (findSegmentProblem(truncateToBytes(safe, PATH.segmentMaxBytes))?.includes('device name')) safe = `-${safe}`;
  if (utf8Length(safe) <= maxBytes) return safe;
  const { stem, ending } = splitName(safe);
  const kept = trimEndCharacters(truncateToBytes(ending, Math.floor(maxBytes / 2)), '. ');
  return trimEndCharacters(truncateToBytes(stem, maxBytes - utf8Length(kept)), '. ') + kept || 'file';
}

/** `name.ext` → `name-<suffix>.ext`, cut to a segment's limit. */
export function addSuffix(name: string, suffix: string): string {
  const { stem, ending } = splitName(toSafeFileName(name, PATH.segmentMaxBytes - suffix.length - 1));
  return `${stem}-${suffix}${ending}`;
}
