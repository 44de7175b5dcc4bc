import { escapeJson } from '../../src/protocol/display-text.js';
import { escapeControls } from './bulk/format.js';

/** Returns JSON in which characters that control a terminal are escaped. Parsers read the same value. */
export const safeJson = (value: unknown, indent?: number): string => escapeJson(JSON.stringify(value, null, indent));

/** Prints one value as JSON on standard output. */
export const printJson = (value: unknown, indent?: number): void => void process.stdout.write(`${safeJson(value, indent)}\n`);

/** Prints one line on standard output, with tabs between the fields. */
export const printFields = (...fields: string[]): void =>
  void process.stdout.write(`${fields.map((field) => escapeControls(field)).join('\t')}\n`);

/** Prints one line on standard error. */
export const printNote = (text: string): void => void process.stderr.write(`${escapeControls(text)}\n`);
