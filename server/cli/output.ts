import { printable } from './bulk/format.js';

/** Control and direction characters that `JSON.stringify` leaves as they are. They only occur inside strings. */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** JSON that cannot control a terminal: every parser reads the same value from it. */
export const safeJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replaceAll(
    UNSAFE,
    (character) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  );

/** Prints one value as JSON on stdout. */
export const printJson = (value: unknown, indent?: number): void => console.log(safeJson(value, indent));

/** Prints one line on stdout; fields are separated by tabs. */
export const printFields = (...fields: string[]): void => console.log(fields.map((field) => printable(field)).join('\t'));

/** Prints one line for people on stderr. */
export const printNote = (text: string): void => console.error(printable(text));
