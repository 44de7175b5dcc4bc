import type { StoredFile } from '../../blobs.js';
import { invalidArgument } from '../errors.js';
import type { S3Request } from './request.js';

/** A header's value as bytes: node writes latin1, so UTF-8 is spelled out; control characters cannot stand in a header at all. */
export const headerBytes = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- finding control characters is its job
  Buffer.from(text.replace(/[\u0000-\u001f\u007f]/g, ' '), 'utf8').toString('latin1');

export const quoted = (etag: string): string => `"${etag}"`;

/** What every answer about an object says of it. */
export function objectHeaders(file: StoredFile): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': file.contentType,
    etag: quoted(file.etag),
    'last-modified': new Date(file.updatedAt).toUTCString(),
    'accept-ranges': 'bytes',
    ...file.headers,
    ...(file.cacheControl !== null && { 'cache-control': file.cacheControl }),
    ...(file.contentDisposition !== null && { 'content-disposition': file.contentDisposition }),
    ...(file.expiresAt !== null && {
      'x-amz-expiration': `expiry-date="${new Date(file.expiresAt).toUTCString()}", rule-id="expires_at"`,
    }),
  };
  for (const [name, value] of Object.entries(file.metadata)) headers[`x-amz-meta-${name}`] = value;
  const tags = Object.keys(file.tags).length;
  if (tags > 0) headers['x-amz-tagging-count'] = String(tags);
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, headerBytes(value)]));
}

export function checksumHeaders(file: Pick<StoredFile, 'checksums' | 'checksumType'>): Record<string, string> {
  const entries = Object.entries(file.checksums).map(([name, value]) => [`x-amz-checksum-${name}`, value] as const);
  if (entries.length === 0) return {};
  return { ...Object.fromEntries(entries), 'x-amz-checksum-type': file.checksumType ?? 'FULL_OBJECT' };
}

/** Whether the reader wants checksums: they are of the whole, so not beside a range. */
export const wantsChecksums = (request: S3Request): boolean =>
  request.headers.get('x-amz-checksum-mode')?.toUpperCase() === 'ENABLED';

const OVERRIDES = ['cache-control', 'content-disposition', 'content-encoding', 'content-language', 'content-type', 'expires'];

/** Types that a browser runs or renders with script; an address anyone can make by adding a query must never turn a file into one. */
const ACTIVE =
  /^\s*(text\/(html|xml|xsl|javascript|ecmascript|css|cache-manifest)|application\/(\S*xml|\S*javascript|ecmascript|wasm|x-shockwave-flash|pdf)|image\/svg\S*|multipart\/\S*|\S*\+xml)\s*(;|$)/i;

/** The `response-…` overrides of a read. */
export function responseOverrides(request: S3Request): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of OVERRIDES) {
    const value = request.query.get(`response-${name}`);
    if (value === undefined) continue;
    // oxlint-disable-next-line no-control-regex -- finding control characters is its job
    if (/[\u0000-\u001f\u007f]/.test(value))
      throw invalidArgument(`response-${name}`, value, 'Header value cannot be represented.');
    headers[name] = headerBytes(value);
  }
  if (ACTIVE.test(headers['content-type'] ?? '')) headers['content-type'] = 'application/octet-stream';
  return headers;
}

/** Should a browser be led here after all, what it shows runs nothing. */
export const SAFE_DELIVERY = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
} as const;
