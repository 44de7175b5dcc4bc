/** Controls (line breaks among them), and what turns the order of letters around: a text could be drawn as another one. */
// oxlint-disable-next-line no-control-regex -- finding control characters is its job
const HIDDEN_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** Marks of direction that no one sees. They move a dot or a bracket beside them. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f]/g;

/** Makes a text that came from outside safe to be drawn: one line, in which no character moves another. */
export const toDisplayText = (text: string, instead: string): string =>
  text.replace(DIRECTION_MARKS, '').replace(HIDDEN_CHARACTERS, instead);

/** Cuts a text to a number of UTF-16 units, with an ellipsis where something is left out. */
export function truncateText(text: string, max: number): string {
  if (text.length <= max) return text;
  // Half a surrogate pair would be drawn as a replacement character.
  const kept = text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '');
  return `${kept.trimEnd()}…`;
}

/** Control and direction characters that `JSON.stringify` leaves as they are. They only occur inside strings. */
const UNSAFE_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Escapes JSON so that it cannot control a terminal. Every parser reads the same value from it. */
export const escapeJson = (json: string): string =>
  json.replaceAll(UNSAFE_IN_JSON, (character) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`);
