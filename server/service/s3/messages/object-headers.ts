import { DEFAULT_MEDIA_TYPE, parseMediaType } from '../../../../src/protocol/media-type.js';
import type { StoredFile } from '../../storage/blobs.js';
import { isActiveType } from '../../http/browser-types.js';
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

/** Bytes of one header of a served object. Proxies refuse responses whose headers exceed 4 kB. */
const MAX_HEADER = 3072;

/** @param value one character for each byte. @throws S3Error `InvalidArgument` */
export function assertHeaderSize(name: string, value: string): void {
  if (value.length > MAX_HEADER)
    throw invalidArgument(name, value.slice(0, 64), `A header of an object may have at most ${MAX_HEADER} bytes.`);
}

const OVERRIDES = ['cache-control', 'content-disposition', 'content-encoding', 'content-language', 'content-type', 'expires'];

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
    assertHeaderSize(`response-${name}`, headers[name]);
  }
  if (headers['content-type'] !== undefined) headers['content-type'] = overridingType(headers['content-type']);
  return headers;
}

/**
 * A query must never turn a file into a page. So the type is written anew from its parts, without parameters but the charset: browsers
 * and the parser here cannot read it differently.
 */
function overridingType(stated: string): string {
  const type = parseMediaType(stated);
  if (!type || isActiveType(type.essence)) return DEFAULT_MEDIA_TYPE;
  const charset = type.parameters.get('charset');
  return charset !== undefined && /^[\w-]+$/.test(charset) ? `${type.essence}; charset=${charset}` : type.essence;
}

/** Should a browser be led here after all, what it shows runs nothing. */
export const SAFE_DELIVERY = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
} as const;
