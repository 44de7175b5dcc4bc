/** Controls (line breaks among them), and what turns the order of letters around: a text could be drawn as another one. */
// oxlint-disable-next-line no-control-regex -- finding control characters is its job
const UNSHOWN = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** Makes a text that came from outside safe to be drawn: one line, in which no character moves another. */
export const drawable = (text: string, instead: string): string => text.replace(UNSHOWN, instead);

/** Cuts a text to a number of UTF-16 units, with an ellipsis where something is left out. */
export const shorten = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max - 1).trimEnd()}…` : text);
