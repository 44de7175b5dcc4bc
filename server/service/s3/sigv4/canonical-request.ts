import { createHash, createHmac } from 'node:crypto';
import type { S3Request } from '../messages/request.js';

/**
 * The canonical form of a request in Signature Version 4.
 * Spec: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */

export const ALGORITHM = 'AWS4-HMAC-SHA256';
export const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Percent-encodes everything except the unreserved characters of RFC 3986. */
export const uriEncode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

const encodePath = (path: string): string => path.split('/').map(uriEncode).join('/');

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);

function canonicalQuery(request: S3Request, without: string): string {
  return request.query.pairs
    .filter(([name]) => name !== without)
    .map(([name, value]) => [uriEncode(name), uriEncode(value)] as const)
    .sort(([name, value], [otherName, otherValue]) => compare(name, otherName) || compare(value, otherValue))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/** @returns the canonical request in latin1: one character for each byte of the headers. */
export function canonicalRequest(request: S3Request, signedHeaders: readonly string[], payloadHash: string): string {
  const headers = signedHeaders.map((name) => {
    const values = request.headers.values(name).map((value) => value.trim().replace(/ +/g, ' '));
    return `${name}:${values.join(',')}\n`;
  });
  return [
    request.method,
    encodePath(request.path),
    canonicalQuery(request, 'X-Amz-Signature'),
    headers.join(''),
    signedHeaders.join(';'),
    payloadHash,
  ].join('\n');
}

export const sha256Hex = (data: string | Buffer, encoding: 'latin1' | 'utf8' = 'utf8'): string =>
  (typeof data === 'string' ? createHash('sha256').update(data, encoding) : createHash('sha256').update(data)).digest('hex');

/** @param amzDate `20261121T053534Z`. @param scope `20261121/region/s3/aws4_request`. */
export const stringToSign = (amzDate: string, scope: string, canonicalHash: string): string =>
  `${ALGORITHM}\n${amzDate}\n${scope}\n${canonicalHash}`;

export const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
