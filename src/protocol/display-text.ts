/** Control characters (including line breaks) and characters that change the direction of the text that follows. */
// oxlint-disable-next-line no-control-regex -- the pattern finds control characters
const HIDDEN_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** Invisible direction marks. They can move a dot or a bracket beside them. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f]/g;

/**
 * Makes a text from outside safe to display: on one line, with all characters in their written order.
 * @param replacement replaces each control character
 */
export const toDisplayText = (text: string, replacement: string): string =>
  text.replace(DIRECTION_MARKS, '').replace(HIDDEN_CHARACTERS, replacement);

/** Shortens a text to at most `max` UTF-16 units. A shortened text ends with an ellipsis. */
export function truncateText(text: string, max: number): string {
  if (text.length <= max) return text;
  // Half a surrogate pair would be displayed as a replacement character.
  const start = text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '');
  return `${start.trimEnd()}…`;
}

/** Control and direction characters that `JSON.stringify` does not escape. They only occur inside strings. */
const UNSAFE_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Escapes JSON so that it cannot control a terminal. Parsers read the same value from it. */
export const escapeJson = (json: string): string =>
  json.replaceAll(UNSAFE_IN_JSON, (character) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`);
