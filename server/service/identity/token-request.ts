import { invalid } from '../../../src/protocol/errors.js';
import { UPLOAD_TOKEN } from '../../../src/protocol/limits.js';
import { hasAllowedExtension, normalizeExtension } from '../../../src/protocol/file-names.js';
import { assertPath, assertPrefix, baseName } from '../../../src/protocol/paths.js';
import type { UploadTokenOptions, Visibility } from '../../../src/protocol/types.js';
import { parseFileOptions } from '../../../src/protocol/file-options.js';

/** The body of `POST /v1/upload-tokens`, complete and checked; null where nothing is fixed. */
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
  /** Seconds. */
  expiresIn: number;
  maxUses: number;
}

/** Checks what a schema cannot say; types and bounds have been checked by it. @throws `VALIDATION_ERROR`, `INVALID_PATH`. */
export function tokenRequest(body: UploadTokenOptions, now: number): TokenRequest {
  if (body.path !== undefined && body.prefix !== undefined) throw invalid('prefix', 'excludes path: name one of them');
  const path = body.path === undefined ? null : assertPath(body.path);
  // A folder that is the root fixes nothing.
  const prefix = body.prefix === undefined || body.prefix === '' || body.prefix === '/' ? null : assertPrefix(body.prefix);
  const allowedExtensions =
    body.allowed_extensions?.map((one) => {
      const extension = normalizeExtension(one);
      if (extension === undefined) throw invalid('allowed_extensions', `${JSON.stringify(one)} is no file extension`);
      return extension;
    }) ?? null;
  if (path !== null && allowedExtensions && !hasAllowedExtension(baseName(path), allowedExtensions))
    throw invalid('allowed_extensions', 'does not allow the extension of the fixed path');
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
    expiresIn: body.expires_in ?? UPLOAD_TOKEN.expiresIn.default,
    maxUses: body.max_uses ?? UPLOAD_TOKEN.maxUses.default,
  };
}
