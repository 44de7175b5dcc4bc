import { validationError } from './errors.js';
import { formatDisposition, parseDispositionName } from './content-disposition.js';
import { METADATA } from './limits.js';
import { utf8Length } from './paths.js';
import { parseTime } from './time.js';
import type { FileOptions, Visibility } from './types.js';

/** Visible ASCII and inner blanks: what a header value may be (https://www.rfc-editor.org/rfc/rfc9110#section-5.5). */
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const MAX_HEADER_LENGTH = 1024;
/** Bytes of a header with an encoded name, in which a character may take twelve. Proxies refuse responses whose headers exceed 4 kB. */
const MAX_ENCODED_LENGTH = 3072;

/** Options of a file after validation. */
export interface ValidFileOptions {
  visibility?: Visibility;
  cacheControl?: string | null;
  contentDisposition?: string | null;
  /** ms since 1970. */
  expiresAt?: number | null;
  metadata?: Record<string, string>;
}

/**
 * Validates the options of a file as a REST request states them.
 * @param now ms since 1970.
 * @throws `VALIDATION_ERROR` that names the field.
 */
export function parseFileOptions(
  options: { [Field in keyof FileOptions]?: FileOptions[Field] | (Field extends 'visibility' | 'metadata' ? never : null) },
  now: number,
): ValidFileOptions {
  const { visibility, cache_control, content_disposition, expires_at, metadata } = options;
  return {
    ...(visibility !== undefined && { visibility }),
    ...(cache_control !== undefined && { cacheControl: cache_control && validateHeaderValue('cache_control', cache_control) }),
    ...(content_disposition !== undefined && {
      contentDisposition: content_disposition && normalizeDisposition(content_disposition),
    }),
    ...(expires_at !== undefined && { expiresAt: expires_at === null ? null : futureTime('expires_at', expires_at, now) }),
    ...(metadata !== undefined && { metadata: validateFileMetadata(metadata) }),
  };
}

function validateHeaderValue(field: string, value: string): string {
  if (!HEADER_VALUE.test(value) || value.length > MAX_HEADER_LENGTH)
    throw validationError(field, `must be a header value: visible ASCII, at most ${MAX_HEADER_LENGTH} characters`);
  return value;
}

/** Written anew, so that a name with quotes, controls or line breaks reaches no header as it came. */
function normalizeDisposition(value: string): string {
  const type = /^(inline|attachment)\s*(;|$)/i.exec(value)?.[1]?.toLowerCase() as 'inline' | 'attachment' | undefined;
  if (type === undefined || value.length > MAX_HEADER_LENGTH)
    throw validationError('content_disposition', 'must begin with inline or attachment, and may name a filename');
  // oxlint-disable-next-line no-control-regex -- control characters are what it must refuse
  if (/[\u0000-\u001f\u007f]/.test(value)) throw validationError('content_disposition', 'may not hold control characters');
  const name = parseDispositionName(value);
  const written = name === undefined ? type : formatDisposition(type, name);
  if (written.length > MAX_ENCODED_LENGTH)
    throw validationError(
      'content_disposition',
      `is too long: its file name takes ${written.length} characters of a header, which may have ${MAX_ENCODED_LENGTH}`,
      {
        limit: MAX_ENCODED_LENGTH,
      },
    );
  return written;
}

function futureTime(field: string, value: string, now: number): number {
  const time = parseTime(value);
  if (time === undefined) throw validationError(field, 'must be an ISO 8601 time, such as 2030-01-31T12:00:00Z');
  if (time <= now) throw validationError(field, 'must lie in the future');
  return time;
}

function validateFileMetadata(metadata: Record<string, string>): Record<string, string> {
  const entries = Object.entries(metadata);
  if (entries.length > METADATA.maxEntries) throw validationError('metadata', `may hold at most ${METADATA.maxEntries} entries`);
  for (const [key, value] of entries) {
    if (!METADATA.key.test(key))
      throw validationError(
        'metadata',
        `the key ${JSON.stringify(key)} must be lower-case letters, digits, dots, dashes or underscores`,
      );
    if (typeof value !== 'string') throw validationError('metadata', `the value of ${key} must be a string`);
    // oxlint-disable-next-line no-control-regex -- control characters are what it must refuse
    if (/[\u0000-\u001f\u007f]/.test(value))
      throw validationError('metadata', `the value of ${key} may not hold control characters`);
  }
  const bytes = entries.reduce((sum, [key, value]) => sum + utf8Length(key) + utf8Length(value), 0);
  if (bytes > METADATA.maxBytes)
    throw validationError('metadata', `may hold at most ${METADATA.maxBytes} bytes, keys and values together`);
  return metadata;
}
