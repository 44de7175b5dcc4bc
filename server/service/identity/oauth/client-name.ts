import { API_KEY } from '../../../../src/protocol/limits.js';

/** The name of a client whose own name has no visible character. */
const UNNAMED = 'Unnamed application';

/** Most combining marks on one character. More of them cover the lines above and below. */
const MARKS = /(\p{M}{2})\p{M}+/gu;

/**
 * Returns the name of a client as pages and lists may show it: without markup, control and bidirectional characters, on one line, and no longer
 * than the name of a key.
 */
export function sanitizeClientName(name: string): string {
  const text = name
    .replace(/<[^<>]*>/g, '')
    .replace(/[<>]/g, '')
    .replace(/[\s\p{Zl}\p{Zp}]+/gu, ' ')
    // Control and format characters (bidirectional ones among them), halves of surrogate pairs, and characters without an agreed meaning.
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]+/gu, '')
    .replace(/[\u{115f}\u{1160}\u{3164}\u{ffa0}\u{2800}]+/gu, '')
    .normalize('NFC')
    .replace(MARKS, '$1')
    .replace(/ +/g, ' ')
    .trim();
  return truncate(text).trim() || UNNAMED;
}

/** Keeps the first characters, and never half of a surrogate pair. */
function truncate(text: string): string {
  let kept = '';
  for (const character of text) {
    if (kept.length + character.length > API_KEY.name.max) break;
    kept += character;
  }
  return kept;
}
