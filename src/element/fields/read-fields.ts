import { METADATA } from '../../protocol/limits.js';
import { utf8Length } from '../../protocol/paths.js';

/** A field that a person fills in for each file. The values are stored as metadata of the file. */
export interface FileField {
  /** Name in the metadata: 1 to 64 lower-case letters, digits, dots, dashes and underscores, beginning with a letter or digit. */
  name: string;
  /** Label, in the language of the page. */
  label: string;
  /** The file is not uploaded before the field is filled in. @default false */
  required?: boolean;
  /** Most characters of a text field, from 1. @default 200 */
  maxlength?: number;
  /** Choices, which make the field a list instead of a text field. */
  options?: readonly string[];
}

const DEFAULT_MAX_LENGTH = 200;
const PROPERTIES = ['name', 'label', 'required', 'maxlength', 'options'];
/** Most bytes of one UTF-16 unit in UTF-8. */
const BYTES_PER_UNIT = 3;
// oxlint-disable-next-line no-control-regex -- metadata must not contain control characters
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/g;

export const maxLengthOf = ({ maxlength = DEFAULT_MAX_LENGTH }: FileField): number => maxlength;

/** Converts what a person wrote to a value that metadata can have. */
export const toMetadataValue = (text: string): string =>
  (text as string & { toWellFormed(): string }).toWellFormed().replace(CONTROL_CHARACTERS, ' ').trim();

/** Returns the value of a field; '' if there is none. A field may have the name of a property that every object inherits: `constructor`. */
export const valueOf = ({ name }: FileField, values: Readonly<Record<string, string>>): string =>
  Object.hasOwn(values, name) ? values[name]! : '';

/**
 * Reads the setting `fields`.
 * @returns the fields, or the rule that the setting breaks
 */
export function readFields(setting: unknown): FileField[] | string {
  const list = typeof setting === 'string' ? parseJson(setting) : setting;
  if (!Array.isArray(list)) return 'Write a JSON list such as [{"name": "caption", "label": "Caption", "required": true}].';
  const names = new Set<unknown>();
  for (const [index, field] of list.entries()) {
    const { name } = Object(field) as { name?: unknown };
    const rule = names.has(name) ? `has the name of another field. Write each name once.` : findBrokenRule(field);
    if (rule !== undefined) return `Field ${index + 1} ${rule}`;
    names.add(name);
  }
  const fields = list as FileField[];
  if (fields.length > METADATA.maxEntries) return `There are ${fields.length} fields. Write at most ${METADATA.maxEntries}.`;
  const bytes = fields.reduce((sum, field) => sum + longestEntry(field), 0);
  if (bytes <= METADATA.maxBytes) return fields;
  return `The fields can have ${bytes} bytes, and ${METADATA.maxBytes} can be stored. Write fewer fields, or a smaller "maxlength".`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const quote = (value: unknown): string => JSON.stringify(value) ?? String(value);
const isText = (value: unknown): value is string => typeof value === 'string' && toMetadataValue(value) !== '';

/** Returns the rest of a sentence that begins with the field, and how it is written correctly; undefined if the field is valid. */
function findBrokenRule(field: unknown): string | undefined {
  if (typeof field !== 'object' || field === null) return `is ${quote(field)}. Write an object with "name" and "label".`;
  const { name, label, required, maxlength, options } = field as Record<keyof FileField, unknown>;
  const unknown = Object.keys(field).find((key) => !PROPERTIES.includes(key));
  if (unknown !== undefined) return `has the unknown property ${quote(unknown)}. Write only ${PROPERTIES.join(', ')}.`;
  if (typeof name !== 'string' || !METADATA.key.test(name))
    return `has the name ${quote(name)}. Write 1 to 64 lower-case letters, digits, dots, dashes and underscores, beginning with a letter or digit.`;
  if (!isText(label)) return `(${quote(name)}) has the label ${quote(label)}. Write a text.`;
  if (required !== undefined && typeof required !== 'boolean')
    return `(${quote(name)}) has required ${quote(required)}. Write true or false.`;
  if (options !== undefined) return findBrokenOptions(name, options, maxlength);
  if (maxlength !== undefined && !(Number.isSafeInteger(maxlength) && Number(maxlength) > 0))
    return `(${quote(name)}) has maxlength ${quote(maxlength)}. Write a whole number from 1.`;
  return undefined;
}

function findBrokenOptions(name: string, options: unknown, maxlength: unknown): string | undefined {
  const isValid =
    Array.isArray(options) &&
    options.length > 0 &&
    options.every((option) => isText(option) && option === toMetadataValue(option)) &&
    new Set(options).size === options.length;
  if (!isValid) return `(${quote(name)}) has options ${quote(options)}. Write a list of different texts.`;
  return maxlength === undefined ? undefined : `(${quote(name)}) has options and maxlength. Write one of them.`;
}

/** Returns the most bytes that a field takes in the metadata. */
function longestEntry(field: FileField): number {
  const value = field.options ? Math.max(...field.options.map(utf8Length)) : maxLengthOf(field) * BYTES_PER_UNIT;
  return utf8Length(field.name) + value;
}
