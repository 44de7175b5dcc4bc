import { createHash, timingSafeEqual } from 'node:crypto';
import { S3ServiceError } from '../errors.js';
import type { S3Request } from '../messages/request.js';
import { canonicalRequest, hmac, sha256Hex, stringToSign } from './canonical-request.js';
import { parseAmzDate, credentialScope } from './request-signature.js';
import type { RequestSignature } from './request-signature.js';
import { parseAuthorizationHeader } from './authorization-header.js';
import { parsePresignedQuery } from './presigned-query.js';
import { signingKey } from './signing-key.js';

/** Allowed difference between the clocks of client and service. */
const MAX_SKEW_MS = 15 * 60 * 1000;

/** Finds the secret and the permissions of a key pair. @returns undefined if the key pair is unknown or revoked. */
export type FindKeyPair<Grant> = (accessKeyId: string) => Promise<{ secret: string; grant: Grant } | undefined>;

/** A verified signature. The chunks of a body are verified with its key. */
export interface VerifiedSignature<Grant> {
  signature: RequestSignature;
  grant: Grant;
  key: Buffer;
}

/** Compares in constant time, whatever the lengths. */
export function equalSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/**
 * Verifies the Signature V4 of a request, in its header or its query.
 * @param now ms since 1970.
 * @throws S3ServiceError with S3's code for a missing, malformed, expired or wrong signature.
 */
export async function verifySignature<Grant>(
  request: S3Request,
  findKeyPair: FindKeyPair<Grant>,
  now: number,
): Promise<VerifiedSignature<Grant>> {
  const signature = parseSignature(request);
  const time = parseAmzDate(signature.amzDate);
  if (time === undefined)
    throw new S3ServiceError('AccessDenied', 'AWS authentication requires a valid Date or x-amz-date header');
  if (!signature.amzDate.startsWith(signature.date))
    throw signature.expires === undefined
      ? new S3ServiceError(
          'AuthorizationHeaderMalformed',
          'The authorization header is malformed; its credential date is not the date of the request.',
        )
      : new S3ServiceError(
          'AuthorizationQueryParametersError',
          'Invalid credential date. This date is not the same as X-Amz-Date.',
        );
  checkTime(signature, time, now);
  checkSignedHeaders(request, signature);

  const keyPair = await findKeyPair(signature.accessKeyId);
  if (!keyPair) throw new S3ServiceError('InvalidAccessKeyId', undefined, { fields: { AWSAccessKeyId: signature.accessKeyId } });
  const key = signingKey(keyPair.secret, signature.date, signature.region);
  if (!matches(request, signature, key))
    throw new S3ServiceError('SignatureDoesNotMatch', undefined, {
      fields: { AWSAccessKeyId: signature.accessKeyId, SignatureProvided: signature.value },
    });
  return { signature, grant: keyPair.grant, key };
}

function parseSignature(request: S3Request): RequestSignature {
  const authorization = request.headers.get('authorization');
  const isInQuery = request.query.pairs.some(([name]) => name === 'X-Amz-Algorithm' || name === 'X-Amz-Signature');
  if (authorization !== undefined && isInQuery)
    throw new S3ServiceError(
      'InvalidArgument',
      'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter or the Authorization header should be specified',
    );
  if (authorization !== undefined) return parseAuthorizationHeader(request, authorization);
  if (isInQuery) return parsePresignedQuery(request);
  if (request.query.has('Signature') && request.query.has('AWSAccessKeyId'))
    throw new S3ServiceError(
      'InvalidRequest',
      'The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.',
    );
  throw new S3ServiceError('AccessDenied');
}

function checkTime(signature: RequestSignature, time: number, now: number): void {
  const skewed = () =>
    new S3ServiceError('RequestTimeTooSkewed', undefined, {
      fields: {
        RequestTime: signature.amzDate,
        ServerTime: new Date(now).toISOString(),
        MaxAllowedSkewMilliseconds: String(MAX_SKEW_MS),
      },
    });
  if (signature.expires === undefined) {
    if (Math.abs(now - time) > MAX_SKEW_MS) throw skewed();
    return;
  }
  if (time - now > MAX_SKEW_MS) throw new S3ServiceError('AccessDenied', 'Request is not valid yet');
  const end = time + signature.expires * 1000;
  if (now > end)
    throw new S3ServiceError('AccessDenied', 'Request has expired', {
      fields: {
        'X-Amz-Expires': String(signature.expires),
        Expires: new Date(end).toISOString(),
        ServerTime: new Date(now).toISOString(),
      },
    });
}

/** Every signed header must be present. `host` and all `x-amz-*` headers must be signed. @throws S3ServiceError */
function checkSignedHeaders(request: S3Request, signature: RequestSignature): void {
  const signed = new Set(signature.signedHeaders);
  // Each name adds the whole header to the canonical request. Repeated names would make it megabytes long.
  if (signed.size !== signature.signedHeaders.length)
    throw new S3ServiceError('SignatureDoesNotMatch', 'SignedHeaders contains a header more than once.');
  const absent = signature.signedHeaders.find((name) => request.headers.values(name).length === 0);
  if (absent !== undefined)
    throw new S3ServiceError('SignatureDoesNotMatch', `The signed header ${absent} is not in the request.`);
  const unsigned = request.headers.names().filter((name) => (name === 'host' || name.startsWith('x-amz-')) && !signed.has(name));
  // A presigned URL has the hash of its body in the query, so the header of this name has no effect.
  const missing = signature.expires === undefined ? unsigned : unsigned.filter((name) => name !== 'x-amz-content-sha256');
  if (missing.length > 0 || !signed.has('host'))
    throw new S3ServiceError('AccessDenied', 'There were headers present in the request which were not signed', {
      fields: { HeadersNotSigned: missing.join(', ') || 'host' },
    });
}

function matches(request: S3Request, signature: RequestSignature, key: Buffer): boolean {
  const canonical = canonicalRequest(request, signature.signedHeaders, signature.payloadHash);
  const sign = (encoding: 'latin1' | 'utf8') =>
    hmac(key, stringToSign(signature.amzDate, credentialScope(signature), sha256Hex(canonical, encoding))).toString('hex');
  if (equalSecret(sign('latin1'), signature.value)) return true;
  // Clients that send a header in latin1 sign the same text in UTF-8.
  // oxlint-disable-next-line no-control-regex -- matches all of ASCII
  return /[^\u0000-\u007f]/.test(canonical) && equalSecret(sign('utf8'), signature.value);
}
