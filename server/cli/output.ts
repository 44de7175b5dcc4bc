import { escapeJson } from '../../src/protocol/display-text.js';
import { printable } from './bulk/format.js';

/** Returns JSON without characters that control a terminal. Parsers read the same value. */
export const safeJson = (value: unknown, indent?: number): string => escapeJson(JSON.stringify(value, null, indent));

/** Prints one value as JSON on stdout. */
export const printJson = (value: unknown, indent?: number): void => console.log(safeJson(value, indent));

/** Prints one line on stdout, with tabs between the fields. */
export const printFields = (...fields: string[]): void => console.log(fields.map((field) => printable(field)).join('\t'));

/** Prints one line on stderr. */
export const printNote = (text: string): void => console.error(printable(text));
