import { validationError } from './errors.js';
import { formatDisposition, parseDispositionName } from './content-disposition.js';
import { findMetadataProblem } from './metadata.js';
import { validateFutureTime } from './time.js';
import type { FileOptions, Visibility } from './types.js';

/**
 * A header value of visible ASCII characters, with spaces and tabs between them.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-5.5
 */
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
/** Characters. */
const MAX_HEADER_LENGTH = 1024;
/**
 * Longest `Content-Disposition` with an encoded file name, in characters. One character of a name takes up to twelve. Proxies
 * refuse responses whose headers exceed 4 kB.
 */
const MAX_ENCODED_LENGTH = 3072;

/** Options of a file after validation. */
export interface ValidFileOptions {
  visibility?: Visibility;
  cacheControl?: string | null;
  contentDisposition?: string | null;
  /** Milliseconds since 1970. */
  expiresAt?: number | null;
  metadata?: Record<string, string>;
}

/** Options of a file in a REST request. `null` removes an option, except for visibility and metadata. */
type StatedFileOptions = {
  [Field in keyof FileOptions]?: FileOptions[Field] | (Field extends 'visibility' | 'metadata' ? never : null);
};

/**
 * Validates the options of a file in a REST request.
 * @param now milliseconds since 1970
 * @throws BlobError `VALIDATION_ERROR` that names the field
 */
export function parseFileOptions(options: StatedFileOptions, now: number): ValidFileOptions {
  const { visibility, cache_control, content_disposition, expires_at, metadata } = options;
  return {
    ...(visibility !== undefined && { visibility }),
    ...(cache_control !== undefined && { cacheControl: cache_control && validateHeaderValue('cache_control', cache_control) }),
    ...(content_disposition !== undefined && {
      contentDisposition: content_disposition && normalizeDisposition(content_disposition),
    }),
    ...(expires_at !== undefined && {
      expiresAt: expires_at === null ? null : validateFutureTime('expires_at', expires_at, now),
    }),
    ...(metadata !== undefined && { metadata: validateFileMetadata(metadata) }),
  };
}

function validateHeaderValue(field: string, value: string): string {
  if (!HEADER_VALUE.test(value) || value.length > MAX_HEADER_LENGTH)
    throw validationError(field, `must be a header value of at most ${MAX_HEADER_LENGTH} visible ASCII characters`);
  return value;
}

/** Parses and formats the header, so that the stored value contains no unescaped quotes and no line breaks. */
function normalizeDisposition(value: string): string {
  const field = 'content_disposition';
  const type = /^(inline|attachment)\s*(;|$)/i.exec(value)?.[1]?.toLowerCase() as 'inline' | 'attachment' | undefined;
  if (type === undefined || value.length > MAX_HEADER_LENGTH)
    throw validationError(
      field,
      `must be "inline" or "attachment", optionally with a filename, and at most ${MAX_HEADER_LENGTH} characters`,
    );
  // oxlint-disable-next-line no-control-regex -- the pattern finds control characters
  if (/[\u0000-\u001f\u007f]/.test(value)) throw validationError(field, 'must not contain control characters');
  const name = parseDispositionName(value);
  const normalized = name === undefined ? type : formatDisposition(type, name);
  if (normalized.length > MAX_ENCODED_LENGTH)
    throw validationError(
      field,
      `must have a shorter filename; encoded, the header has ${normalized.length} characters, the maximum is ${MAX_ENCODED_LENGTH}`,
      { details: { limit: MAX_ENCODED_LENGTH } },
    );
  return normalized;
}

function validateFileMetadata(metadata: Record<string, string>): Record<string, string> {
  const problem = findMetadataProblem(metadata);
  if (problem === undefined) return metadata;
  const { key, requirement, details } = problem;
  throw validationError(
    'metadata',
    key === undefined ? requirement : `contains the entry ${JSON.stringify(key)}, which ${requirement}`,
    { ...(details && { details }) },
  );
}
