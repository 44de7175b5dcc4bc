import { DEFAULT_MEDIA_TYPE, parseMediaType } from '../../../../src/protocol/media-type.js';
import type { StoredFile } from '../../storage/blob-storage.js';
import { isActiveType } from '../../http/inline-types.js';
import { invalidArgument } from '../errors.js';
import type { S3Request } from './request.js';

/** Encodes a header value as UTF-8. Node writes headers as latin1, so each byte becomes a character. Control characters become spaces. */
export const encodeHeader = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- must find control characters
  Buffer.from(text.replace(/[\u0000-\u001f\u007f]/g, ' '), 'utf8').toString('latin1');

export const quoteEtag = (etag: string): string => `"${etag}"`;

/** Builds the headers that describe an object. */
export function objectHeaders(file: StoredFile): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': file.contentType,
    etag: quoteEtag(file.etag),
    'last-modified': new Date(file.updatedAt).toUTCString(),
    'accept-ranges': 'bytes',
    ...file.headers,
    ...(file.cacheControl !== null && { 'cache-control': file.cacheControl }),
    ...(file.contentDisposition !== null && { 'content-disposition': file.contentDisposition }),
    ...(file.scan !== null && { 'x-svc-scan': file.scan }),
    ...(file.expiresAt !== null && {
      'x-amz-expiration': `expiry-date="${new Date(file.expiresAt).toUTCString()}", rule-id="expires_at"`,
    }),
  };
  for (const [name, value] of Object.entries(file.metadata)) headers[`x-amz-meta-${name}`] = value;
  const tags = Object.keys(file.tags).length;
  if (tags > 0) headers['x-amz-tagging-count'] = String(tags);
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, encodeHeader(value)]));
}

export function checksumHeaders(file: Pick<StoredFile, 'checksums' | 'checksumType'>): Record<string, string> {
  const entries = Object.entries(file.checksums).map(([name, value]) => [`x-amz-checksum-${name}`, value] as const);
  if (entries.length === 0) return {};
  return { ...Object.fromEntries(entries), 'x-amz-checksum-type': file.checksumType ?? 'FULL_OBJECT' };
}

/** Returns whether the client requests checksums. */
export const wantsChecksums = (request: S3Request): boolean =>
  request.headers.get('x-amz-checksum-mode')?.toUpperCase() === 'ENABLED';

/** Bytes of one header. Proxies reject responses whose headers exceed 4 kB. */
const MAX_HEADER = 3072;

/** @param value one character per byte. @throws S3ServiceError `InvalidArgument` */
export function assertHeaderSize(name: string, value: string): void {
  if (value.length > MAX_HEADER)
    throw invalidArgument(name, value.slice(0, 64), `A header may have at most ${MAX_HEADER} bytes; got ${value.length}.`);
}

const OVERRIDES = ['cache-control', 'content-disposition', 'content-encoding', 'content-language', 'content-type', 'expires'];

/** Reads the query parameters `response-…`, which override headers of the response. */
export function responseOverrides(request: S3Request): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of OVERRIDES) {
    const value = request.query.get(`response-${name}`);
    if (value === undefined) continue;
    // oxlint-disable-next-line no-control-regex -- must find control characters
    if (/[\u0000-\u001f\u007f]/.test(value))
      throw invalidArgument(`response-${name}`, value, 'Header value cannot be represented.');
    headers[name] = encodeHeader(value);
    assertHeaderSize(`response-${name}`, headers[name]);
  }
  if (headers['content-type'] !== undefined) headers['content-type'] = safeOverrideType(headers['content-type']);
  return headers;
}

/**
 * Returns a type that no browser renders as a page. It is rebuilt from its parsed parts, so that a browser cannot read it differently than this
 * parser. All parameters except `charset` are removed.
 */
function safeOverrideType(requested: string): string {
  const type = parseMediaType(requested);
  if (!type || isActiveType(type.essence)) return DEFAULT_MEDIA_TYPE;
  const charset = type.parameters.get('charset');
  return charset !== undefined && /^[\w-]+$/.test(charset) ? `${type.essence}; charset=${charset}` : type.essence;
}

/** Prevents scripts if a browser opens an object. */
export const SAFE_DELIVERY = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
} as const;
