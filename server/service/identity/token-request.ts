import { validationError } from '../../../src/protocol/errors.js';
import { UPLOAD_TOKEN } from '../../../src/protocol/limits.js';
import { hasAllowedExtension, normalizeExtension } from '../../../src/protocol/extensions.js';
import { validatePath, validatePrefix, baseName } from '../../../src/protocol/paths.js';
import type { UploadTokenOptions, Visibility } from '../../../src/protocol/types.js';
import { parseFileOptions } from '../../../src/protocol/file-options.js';

/** The validated options of a new upload token. null: the token does not restrict this property. */
export interface TokenRequest {
  path: string | null;
  prefix: string | null;
  visibility: Visibility | null;
  cacheControl: string | null;
  contentDisposition: string | null;
  fileExpiresAt: number | null;
  metadata: Record<string, string> | null;
  maxSize: number | null;
  allowedExtensions: string[] | null;
  overwrite: boolean;
  allowFetch: boolean;
  allowDelete: boolean;
  /** Seconds until the token expires. */
  expiresIn: number;
  maxUses: number;
}

/** Validates the body of `POST /v1/upload-tokens` beyond the types and bounds of its schema. @throws `VALIDATION_ERROR`, `INVALID_PATH`. */
export function parseTokenRequest(body: UploadTokenOptions, now: number): TokenRequest {
  if (body.path !== undefined && body.prefix !== undefined)
    throw validationError('prefix', 'must not be sent together with `path`');
  const path = body.path === undefined ? null : validatePath(body.path);
  // The root folder restricts nothing.
  const prefix = body.prefix === undefined || body.prefix === '' || body.prefix === '/' ? null : validatePrefix(body.prefix);
  const allowedExtensions =
    body.allowed_extensions?.map((text) => {
      const extension = normalizeExtension(text);
      if (extension === undefined)
        throw validationError('allowed_extensions', `must be file extensions such as "jpg"; got ${JSON.stringify(text)}`);
      return extension;
    }) ?? null;
  if (path !== null && allowedExtensions && !hasAllowedExtension(baseName(path), allowedExtensions))
    throw validationError(
      'allowed_extensions',
      `must allow the extension of the path; got ${allowedExtensions.join(', ')} for "${path}"`,
    );
  const options = parseFileOptions(body, now);
  return {
    path,
    prefix,
    visibility: options.visibility ?? null,
    cacheControl: options.cacheControl ?? null,
    contentDisposition: options.contentDisposition ?? null,
    fileExpiresAt: options.expiresAt ?? null,
    metadata: options.metadata ?? null,
    maxSize: body.max_size ?? null,
    allowedExtensions: allowedExtensions && [...new Set(allowedExtensions)],
    overwrite: body.overwrite ?? false,
    allowFetch: body.allow_fetch ?? false,
    allowDelete: body.allow_delete ?? false,
    expiresIn: body.expires_in ?? UPLOAD_TOKEN.expiresIn.default,
    maxUses: body.max_uses ?? UPLOAD_TOKEN.maxUses.default,
  };
}
