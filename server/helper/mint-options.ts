import { describeValue } from '../../src/protocol/describe-value.js';
import { BlobError, validationError } from '../../src/protocol/errors.js';
import { validateTokenOptions } from '../../src/protocol/token-options.js';
import type { UploadTokenOptions } from '../../src/protocol/types.js';

/** Place of a token's files. The helper mints no token without an explicit place. */
export type TokenPlace =
  /** One exact file. */
  | { path: string; prefix?: never; anywhere?: never }
  /** Any file in one folder, such as `users/42`. */
  | { prefix: string; path?: never; anywhere?: never }
  /** Any file in the root of the storage. */
  | { anywhere: true; path?: never; prefix?: never };

/** Options of an upload token. A property that is present must have a value: undefined and null are refused. */
export type MintOptions = Omit<UploadTokenOptions, 'path' | 'prefix'> & TokenPlace;

/** Segments that template strings such as `users/${id}` and `orgs/${id}-files` contain if the id is missing or not a string. */
const UNSET_SEGMENT = /^(undefined|null|NaN)([-_]|$)|[-_](undefined|null|NaN)$|\[object /;

/**
 * Validates the options of a token before a request is sent.
 * @returns a copy with normalized values
 * @throws BlobError `VALIDATION_ERROR` or `INVALID_PATH` that names the field and the rule
 */
export function validateMintOptions(options: unknown): MintOptions {
  const { anywhere, ...fields } = copyOwnProperties(options);
  for (const name of ['path', 'prefix'] as const) if (name in fields) validatePlace(fields[name], name);
  if ('metadata' in fields && !isPlainObject(fields['metadata']))
    throw validationError('metadata', `must be a plain object of strings; got ${describeValue(fields['metadata'])}`);
  const validated = validateTokenOptions(fields);
  const hasPlace = 'path' in validated || 'prefix' in validated;
  if (Object.hasOwn(options as object, 'anywhere')) {
    if (anywhere !== true) throw validationError('anywhere', `must be true or left out; got ${describeValue(anywhere)}`);
    if (hasPlace) throw validationError('anywhere', 'must not be set together with `path` or `prefix`');
    return { ...validated, anywhere: true } as MintOptions;
  }
  if (!hasPlace)
    throw validationError(
      'prefix',
      'is missing. Set prefix (a folder), path (one file), or anywhere: true for the whole storage',
    );
  return validated as MintOptions;
}

/** Copies the own properties of a plain object. Each is read once, so that a getter cannot change a validated value. */
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

/** Refuses places built from a missing id, because all visitors would share that folder. @throws BlobError `VALIDATION_ERROR` */
function validatePlace(value: unknown, field: 'path' | 'prefix'): void {
  if (typeof value !== 'string') throw validationError(field, `must be a string; got ${describeValue(value)}`);
  if (value.replaceAll('/', '') === '') {
    const kind = field === 'path' ? 'file' : 'folder';
    throw validationError(field, `must name a ${kind}; got ${describeValue(value)}. For the whole storage set anywhere: true`);
  }
  // `users/${id}` with an empty id would be the folder of all users.
  if (value.endsWith('/'))
    throw validationError(
      field,
      `must not end with a slash, because a value may be missing after it; got ${describeValue(value)}`,
    );
  const segment = value.split('/').find((candidate) => UNSET_SEGMENT.test(candidate));
  if (segment !== undefined)
    throw validationError(
      field,
      `contains the segment ${describeValue(segment)}, so a value in it is missing or not a string. If this name is intended, use other letter case or other separators`,
    );
}
