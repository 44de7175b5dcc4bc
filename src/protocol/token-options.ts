import { describeValue } from './describe-value.js';
import { BlobError, validationError } from './errors.js';
import { UPLOAD_TOKEN } from './limits.js';
import { normalizeExtension } from './extensions.js';
import { findMetadataProblem } from './metadata.js';
import { validatePath, validatePrefix } from './paths.js';
import { validateFutureTime } from './time.js';
import type { UploadTokenOptions } from './types.js';

/** Validates one option. @returns the normalized value. @throws BlobError `VALIDATION_ERROR` or `INVALID_PATH`. */
type Validator = (value: unknown, field: string) => unknown;

const integer =
  (min: number, max: number, unit = ''): Validator =>
  (value, field) => {
    if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max) return value;
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    throw validationError(field, `must be an integer ${range}${unit}; got ${describeValue(value)}`, { details: { min, max } });
  };

/** Accepts printable ASCII only, because the service sends the value in a response header. */
const headerText: Validator = (value, field) => {
  if (typeof value !== 'string' || !/^[\x20-\x7e]{1,500}$/.test(value) || value.trim() !== value)
    throw validationError(field, 'must have 1 to 500 printable ASCII characters, without spaces at the start or end');
  return value;
};

const text =
  (validate: (value: string, field: string) => string): Validator =>
  (value, field) => {
    if (typeof value !== 'string') throw validationError(field, `must be a string; got ${describeValue(value)}`);
    return validate(value, field);
  };

const extensions: Validator = (value, field) => {
  const { min, max } = UPLOAD_TOKEN.allowedExtensions;
  if (!Array.isArray(value) || value.length < min || value.length > max)
    throw validationError(field, `must be a list of ${min} to ${max} extensions; got ${describeValue(value)}`, {
      details: { min, max },
    });
  const normalized = value.map((item: unknown, index) => {
    const extension = typeof item === 'string' ? normalizeExtension(item) : undefined;
    if (extension === undefined)
      throw validationError(`${field}[${index}]`, `must be an extension such as "pdf" or "tar.gz"; got ${describeValue(item)}`);
    return extension;
  });
  return [...new Set(normalized)];
};

const metadata: Validator = (value, field) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw validationError(field, `must be an object of strings; got ${describeValue(value)}`);
  const problem = findMetadataProblem(value);
  if (problem === undefined) return value;
  const { key, requirement, details } = problem;
  throw validationError(key === undefined ? field : `${field}.${key}`, requirement, { ...(details && { details }) });
};

const futureTime: Validator = (value, field) => {
  validateFutureTime(field, value, Date.now());
  return value;
};

const visibility: Validator = (value, field) => {
  if (value !== 'public' && value !== 'private')
    throw validationError(field, `must be "public" or "private"; got ${describeValue(value)}`);
  return value;
};

const boolean: Validator = (value, field) => {
  if (typeof value !== 'boolean') throw validationError(field, `must be true or false; got ${describeValue(value)}`);
  return value;
};

const VALIDATORS: Record<keyof UploadTokenOptions, Validator> = {
  path: text(validatePath),
  prefix: text(validatePrefix),
  visibility,
  cache_control: headerText,
  content_disposition: headerText,
  expires_at: futureTime,
  metadata,
  max_size: integer(1, Number.MAX_SAFE_INTEGER, ' (bytes)'),
  allowed_extensions: extensions,
  overwrite: boolean,
  allow_fetch: boolean,
  allow_delete: boolean,
  expires_in: integer(UPLOAD_TOKEN.expiresIn.min, UPLOAD_TOKEN.expiresIn.max, ' (seconds)'),
  max_uses: integer(UPLOAD_TOKEN.maxUses.min, UPLOAD_TOKEN.maxUses.max),
};

/**
 * Validates the body of `POST /v1/upload-tokens`.
 * @returns a copy with normalized extensions and a prefix without a slash at its end
 * @throws BlobError `VALIDATION_ERROR` or `INVALID_PATH` that names the field (in `path` and `details.path`) and the rule
 */
export function validateTokenOptions(body: unknown): UploadTokenOptions {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new BlobError('VALIDATION_ERROR', 'The options of an upload token must be an object.');
  const options: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(body)) {
    const validate = Object.hasOwn(VALIDATORS, field) ? VALIDATORS[field as keyof UploadTokenOptions] : undefined;
    if (validate === undefined) throw validationError(field.slice(0, 64), 'is not an option of an upload token');
    // If a program fails to look up a limit, the token must not become unlimited.
    if (value === undefined)
      throw validationError(field, 'must have a value; got undefined. Set a value, or leave the option out');
    options[field] = validate(value, field);
  }
  if (options['path'] !== undefined && options['prefix'] !== undefined)
    throw validationError('prefix', 'must not be set together with `path`. A token is for one file or for a folder');
  return options as UploadTokenOptions;
}
