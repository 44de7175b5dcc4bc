import { BlobError, validationError } from './errors.js';
import { METADATA, UPLOAD_TOKEN } from './limits.js';
import { normalizeExtension } from './extensions.js';
import { validatePath, validatePrefix, utf8Length } from './paths.js';
import type { UploadTokenOptions } from './types.js';

/** Bounds that helper and service both hold a token's options to. Source: platform-api, "Upload token body". */

type Check = (value: unknown, field: string) => unknown;

const integer =
  (min: number, max: number, unit = ''): Check =>
  (value, field) => {
    if (!Number.isSafeInteger(value) || (value as number) < min || (value as number) > max)
      throw validationError(field, `must be a whole number from ${min} to ${max}${unit}`, { min, max });
    return value;
  };

/** Text that goes into a response header as it is: printable ASCII, so that it can neither end the header nor be misread. */
const headerText: Check = (value, field) => {
  if (typeof value !== 'string' || !/^[\x20-\x7e]{1,500}$/.test(value) || value.trim() !== value)
    throw validationError(field, 'must be 1 to 500 printable ASCII characters without spaces at its ends');
  return value;
};

const text =
  (check: (value: string, field: string) => string): Check =>
  (value, field) => {
    if (typeof value !== 'string') throw validationError(field, 'must be a string');
    return check(value, field);
  };

const extensions: Check = (value, field) => {
  const { min, max } = UPLOAD_TOKEN.allowedExtensions;
  if (!Array.isArray(value) || value.length < min || value.length > max)
    throw validationError(field, `must list ${min} to ${max} extensions`, { min, max });
  const normal = value.map((one: unknown, index) => {
    const extension = typeof one === 'string' ? normalizeExtension(one) : undefined;
    if (extension === undefined) throw validationError(`${field}[${index}]`, 'must be an extension such as "pdf" or "tar.gz"');
    return extension;
  });
  return [...new Set(normal)];
};

/** @returns the metadata itself. @throws BlobError `VALIDATION_ERROR` that names the entry and the rule. */
export function validateMetadata(value: unknown, field = 'metadata'): Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw validationError(field, 'must be an object of strings');
  const entries = Object.entries(value);
  if (entries.length > METADATA.maxEntries)
    throw validationError(field, `must have at most ${METADATA.maxEntries} entries`, { max: METADATA.maxEntries });
  let bytes = 0;
  for (const [key, entry] of entries) {
    if (!METADATA.key.test(key))
      throw validationError(`${field}.${key.slice(0, 64)}`, `must be named as ${METADATA.key.source} says`);
    if (typeof entry !== 'string') throw validationError(`${field}.${key}`, 'must be a string');
    bytes += utf8Length(key) + utf8Length(entry);
  }
  if (bytes > METADATA.maxBytes)
    throw validationError(field, `must take at most ${METADATA.maxBytes} bytes, names and values together`, {
      max: METADATA.maxBytes,
    });
  return value as Record<string, string>;
}

const futureTime: Check = (value, field) => {
  const time = typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) throw validationError(field, 'must be an ISO 8601 time such as "2030-01-31T12:00:00Z"');
  if (time <= Date.now()) throw validationError(field, 'must lie in the future');
  return value;
};

const CHECKS: Record<keyof UploadTokenOptions, Check> = {
  path: text(validatePath),
  prefix: text(validatePrefix),
  visibility: (value, field) => {
    if (value !== 'public' && value !== 'private') throw validationError(field, 'must be "public" or "private"');
    return value;
  },
  cache_control: headerText,
  content_disposition: headerText,
  expires_at: futureTime,
  metadata: validateMetadata,
  max_size: integer(1, Number.MAX_SAFE_INTEGER, ' (bytes)'),
  allowed_extensions: extensions,
  overwrite: (value, field) => {
    if (typeof value !== 'boolean') throw validationError(field, 'must be true or false');
    return value;
  },
  expires_in: integer(UPLOAD_TOKEN.expiresIn.min, UPLOAD_TOKEN.expiresIn.max, ' (seconds)'),
  max_uses: integer(UPLOAD_TOKEN.maxUses.min, UPLOAD_TOKEN.maxUses.max),
};

/**
 * Holds the body of `POST /v1/upload-tokens` to the platform's bounds.
 * @returns the options in their one form: extensions normalised, a prefix without its closing slash.
 * @throws BlobError `VALIDATION_ERROR` or `INVALID_PATH` that names the field (in `path` and `details.path`) and the rule.
 */
export function validateTokenOptions(body: unknown): UploadTokenOptions {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new BlobError('VALIDATION_ERROR', 'The options of an upload token must be an object.');
  const checked: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(body)) {
    const check = Object.hasOwn(CHECKS, field) ? CHECKS[field as keyof UploadTokenOptions] : undefined;
    if (check === undefined) throw validationError(field.slice(0, 64), 'is not an option of an upload token');
    // A limit that a program failed to look up must not become a missing limit.
    if (value === undefined) throw validationError(field, 'is undefined: leave it out, or give it a value');
    checked[field] = check(value, field);
  }
  if (checked['path'] !== undefined && checked['prefix'] !== undefined)
    throw validationError('prefix', 'excludes path: a token is for one exact file or for a folder');
  return checked as UploadTokenOptions;
}
