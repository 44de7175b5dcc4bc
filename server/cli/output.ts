import { escapeJson } from '../../src/protocol/display-text.js';
import { printable } from './bulk/format.js';

/** JSON that cannot control a terminal: every parser reads the same value from it. */
export const safeJson = (value: unknown, indent?: number): string => escapeJson(JSON.stringify(value, null, indent));

/** Prints one value as JSON on stdout. */
export const printJson = (value: unknown, indent?: number): void => console.log(safeJson(value, indent));

/** Prints one line on stdout; fields are separated by tabs. */
export const printFields = (...fields: string[]): void => console.log(fields.map((field) => printable(field)).join('\t'));

/** Prints one line for people on stderr. */
export const printNote = (text: string): void => console.error(printable(text));
