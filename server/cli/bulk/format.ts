const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Formats bytes: 1536 is `1.5 KiB`. */
export function formatSize(bytes: number): string {
  let value = Math.max(0, bytes);
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** Formats seconds: `9.5 s`, `59 s`, `1:05 min`, `1:00:05 h`. */
export function formatDuration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const rounded = Math.round(seconds);
  if (rounded < 60) return `${rounded} s`;
  const twoDigits = (number: number): string => String(number).padStart(2, '0');
  if (rounded < 3600) return `${Math.floor(rounded / 60)}:${twoDigits(rounded % 60)} min`;
  return `${Math.floor(rounded / 3600)}:${twoDigits(Math.floor((rounded % 3600) / 60))}:${twoDigits(rounded % 60)} h`;
}

/** Formats a number: 12345 is `12,345`. Loading `Intl` would take longer than a short run. */
export const formatNumber = (count: number): string => String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');

/** Formats a number with its noun: `1 file`, `2 files`. */
export const formatCount = (count: number, noun: string): string => `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;

/** Escapes control and direction characters, so that a name stays on one line and cannot control a terminal. */
export const escapeControls = (name: string): string =>
  // oxlint-disable-next-line no-control-regex
  name.replaceAll(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (character) =>
    character === '\n' ? '\\n' : character === '\t' ? '\\t' : `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );

/** Quotes a word for POSIX shells. */
export const quoteForShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Quotes a word for a shell if it needs quotes. */
export const quoteIfNeeded = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : quoteForShell(text));

/** Characters that take two columns. @see Unicode Standard Annex 11 */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
const ZERO_WIDTH = /[\p{M}\p{Cf}]/u;

const textWidth = (text: string): number => [...text].reduce((sum, character) => sum + characterWidth(character), 0);
const characterWidth = (character: string): number => (ZERO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1);

/** Fits a name into terminal columns. It cuts the beginning of a long name and adds spaces to a short one. */
export function fitToWidth(name: string, width: number): string {
  const nameWidth = textWidth(name);
  if (nameWidth <= width) return name + ' '.repeat(width - nameWidth);
  let end = '';
  let freeColumns = width - 1;
  for (const character of [...name].toReversed()) {
    freeColumns -= characterWidth(character);
    if (freeColumns < 0) break;
    end = character + end;
  }
  return `…${end}${' '.repeat(Math.max(0, width - 1 - textWidth(end)))}`;
}
