import { PATH } from './limits.js';
import { findSegmentProblem, utf8Length } from './paths.js';
import { isWindowsDeviceName } from './windows-names.js';
import { splitName } from './split-name.js';
import { trimEndCharacters } from './trim.js';

/** Shortens a text to at most `maxBytes` UTF-8 bytes without splitting a character. */
function truncateToBytes(text: string, maxBytes: number): string {
  let used = 0;
  let start = '';
  for (const character of text) {
    used += utf8Length(character);
    if (used > maxBytes) break;
    start += character;
  }
  return start;
}

/** Longest name that is processed whole, in UTF-16 units. Longer names keep their start and end. Both exceed a path segment. */
const MAX_NAME_LENGTH = 1024;

/** Returns the last segment of a name without dots and spaces at its end. The length is limited, because the next steps are slow. */
function takeLastSegment(name: string): string {
  const segment = trimEndCharacters(name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1), '. ');
  if (segment.length <= MAX_NAME_LENGTH) return segment;
  return segment.slice(0, MAX_NAME_LENGTH / 2) + segment.slice(-MAX_NAME_LENGTH / 2);
}

/**
 * Turns the name of a person's file into a valid path segment. Takes the last segment, normalizes it to NFC, replaces each
 * forbidden character by `-`, and shortens the name before its extension. Accepts every name, because the response to the
 * upload states the resulting path.
 * @param maxBytes most UTF-8 bytes of the result, at least 4
 * @returns a name that is never empty
 */
export function toSafeFileName(name: string, maxBytes: number = PATH.segmentMaxBytes): string {
  // `toWellFormed` replaces lone surrogates by U+FFFD. TypeScript's library for ES2022 lacks it.
  let safe = (takeLastSegment(name) as string & { toWellFormed(): string }).toWellFormed().normalize('NFC');
  safe = Array.from(safe, (character) => (findSegmentProblem(`x${character}x`) ? '-' : character)).join('');
  // `trim` goes first, because a dot may precede a space that is not ASCII.
  safe = trimEndCharacters(safe.replace(/\ufffd/g, '-').trim(), '. ');
  if (safe === '' || /^\.+$/.test(safe)) safe = 'file';
  if (isWindowsDeviceName(safe)) safe = `-${safe}`;
  if (utf8Length(safe) <= maxBytes) return safe;
  const { stem, ending } = splitName(safe);
  const shortEnding = trimEndCharacters(truncateToBytes(ending, Math.floor(maxBytes / 2)), '. ');
  const shortStem = trimEndCharacters(truncateToBytes(stem, maxBytes - utf8Length(shortEnding)), '. ');
  return shortStem + shortEnding || 'file';
}

/** Returns `name-<suffix>.ext` for `name.ext`, shortened to a valid path segment. */
export function addSuffix(name: string, suffix: string): string {
  const { stem, ending } = splitName(toSafeFileName(name, PATH.segmentMaxBytes - suffix.length - 1));
  return `${stem}-${suffix}${ending}`;
}
