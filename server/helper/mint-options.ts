import { BlobError, validationError } from '../../src/protocol/errors.js';
import { validateTokenOptions } from '../../src/protocol/token-options.js';
import type { UploadTokenOptions } from '../../src/protocol/types.js';

/** Where a token's files are stored. The helper mints no token without an explicit place. */
export type TokenPlace =
  /** One exact file. */
  | { path: string; prefix?: never; anywhere?: never }
  /** Any file in one folder, such as `users/42`. */
  | { prefix: string; path?: never; anywhere?: never }
  /** Any file in the root of the storage. */
  | { anywhere: true; path?: never; prefix?: never };

/** Options of an upload token. A property that is present must have a value: undefined and null are refused. */
export type MintOptions = Omit<UploadTokenOptions, 'path' | 'prefix'> & TokenPlace;

/** Segments that template strings such as `users/${id}` and `orgs/${id}-files` make when the id is missing, or is no text. */
const UNSET_SEGMENT = /^(undefined|null|NaN)([-_]|$)|[-_](undefined|null|NaN)$|\[object /;

/**
 * Checks the options of a token before anything is sent.
 * @returns a copy with normalized values
 * @throws BlobError `VALIDATION_ERROR` or `INVALID_PATH` that names the field and the rule
 */
export function validateMintOptions(options: unknown): MintOptions {
  const { anywhere, ...fields } = copyOwnProperties(options);
  for (const name of ['path', 'prefix'] as const) if (name in fields) validatePlace(fields[name], name);
  if ('metadata' in fields && !isPlainObject(fields['metadata']))
    throw validationError('metadata', 'must be a plain object of strings');
  const checked = validateTokenOptions(fields);
  const hasPlace = 'path' in checked || 'prefix' in checked;
  if (Object.hasOwn(options as object, 'anywhere')) {
    if (anywhere !== true) throw validationError('anywhere', `must be true or left out; got ${describeValue(anywhere)}`);
    if (hasPlace) throw validationError('anywhere', 'excludes path and prefix: a token is for one place, or for any');
    return { ...checked, anywhere: true } as MintOptions;
  }
  if (!hasPlace)
    throw validationError(
      'prefix',
      'is missing: set prefix (a folder) or path (one file), or anywhere: true for the whole storage',
    );
  return checked as MintOptions;
}

/** Copies the own properties of a plain object, each read once. */
function copyOwnProperties(options: unknown): Record<string, unknown> {
  if (!isPlainObject(options))
    throw new BlobError(
      'VALIDATION_ERROR',
      `The options of an upload token must be a plain object such as { prefix: "inbox" }, not ${describeValue(options)}.`,
    );
  const copy: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const key of Reflect.ownKeys(options)) {
    if (typeof key === 'symbol') throw validationError(String(key).slice(0, 64), 'is not an option of an upload token');
    copy[key] = (options as Record<string, unknown>)[key];
  }
  return copy;
}

/** Accepts `{…}` of any realm and `Object.create(null)`; refuses arrays, functions, dates and instances of classes. */
function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    prototype === null || (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, 'hasOwnProperty'))
  );
}

/** A missing id must not become a folder that all visitors share. */
function validatePlace(value: unknown, field: 'path' | 'prefix'): void {
  if (typeof value !== 'string') throw validationError(field, `must be a string; got ${describeValue(value)}`);
  if (value.replaceAll('/', '') === '')
    throw validationError(
      field,
      `must name a ${field === 'path' ? 'file' : 'folder'}; got ${describeValue(value)}. For the whole storage set anywhere: true instead`,
    );
  // `users/${id}` with an empty id, which would be the folder of all users.
  if (value.endsWith('/'))
    throw validationError(field, `must not end with a slash, after which a value may be missing; got ${describeValue(value)}`);
  const unset = value.split('/').find((segment) => UNSET_SEGMENT.test(segment));
  if (unset !== undefined)
    throw validationError(
      field,
      `contains the segment ${describeValue(unset)}: a value it was built from is missing or is no text. If the name is meant, write it in other case or with other separators`,
    );
}

/** A short description for an error message; an object's contents stay out of logs. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object' && value !== null) return 'an instance of a class';
  return String(value);
}
