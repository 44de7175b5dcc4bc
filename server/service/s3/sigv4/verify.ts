import { createHash, timingSafeEqual } from 'node:crypto';
import { S3Error } from '../errors.js';
import type { S3Request } from '../messages/request.js';
import { canonicalRequest, hmac, sha256Hex, stringToSign } from './canonical.js';
import { parseAmzDate, scopeOf } from './claim.js';
import type { SignatureClaim } from './claim.js';
import { claimFromHeader } from './header-claim.js';
import { claimFromQuery } from './query-claim.js';
import { signingKey } from './signing-key.js';

/** Milliseconds a request's time may be off. */
const MAX_SKEW = 15 * 60 * 1000;

/** The secret of a key pair and whatever else its holder may do; undefined when no such pair stands. */
export type FindSecret<Grant> = (accessKeyId: string) => Promise<{ secret: string; grant: Grant } | undefined>;

/** A signature that held: what the chunks of its body are verified with. */
export interface Verified<Grant> {
  claim: SignatureClaim;
  grant: Grant;
  key: Buffer;
}

/** Equal in constant time, whatever the lengths. */
export function equalSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/**
 * Verifies a request's Signature V4, in the header or in the query.
 * @param now milliseconds.
 * @throws S3Error with S3's own code for what is missing, malformed, late or wrong.
 */
export async function verifySignature<Grant>(request: S3Request, find: FindSecret<Grant>, now: number): Promise<Verified<Grant>> {
  const claim = claimOf(request);
  const time = parseAmzDate(claim.amzDate);
  if (time === undefined) throw new S3Error('AccessDenied', 'AWS authentication requires a valid Date or x-amz-date header');
  if (!claim.amzDate.startsWith(claim.date))
    throw claim.expires === undefined
      ? new S3Error(
          'AuthorizationHeaderMalformed',
          'The authorization header is malformed; its credential date is not the date of the request.',
        )
      : new S3Error('AuthorizationQueryParametersError', 'Invalid credential date. This date is not the same as X-Amz-Date.');
  checkTime(claim, time, now);
  checkSignedHeaders(request, claim);

  const found = await find(claim.accessKeyId);
  if (!found) throw new S3Error('InvalidAccessKeyId', undefined, { fields: { AWSAccessKeyId: claim.accessKeyId } });
  const key = signingKey(found.secret, claim.date, claim.region);
  if (!matches(request, claim, key))
    throw new S3Error('SignatureDoesNotMatch', undefined, {
      fields: { AWSAccessKeyId: claim.accessKeyId, SignatureProvided: claim.signature },
    });
  return { claim, grant: found.grant, key };
}

function claimOf(request: S3Request): SignatureClaim {
  const authorization = request.headers.get('authorization');
  const inQuery = request.query.pairs.some(([name]) => name === 'X-Amz-Algorithm' || name === 'X-Amz-Signature');
  if (authorization !== undefined && inQuery)
    throw new S3Error(
      'InvalidArgument',
      'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter or the Authorization header should be specified',
    );
  if (authorization !== undefined) return claimFromHeader(request, authorization);
  if (inQuery) return claimFromQuery(request);
  if (request.query.has('Signature') && request.query.has('AWSAccessKeyId'))
    throw new S3Error(
      'InvalidRequest',
      'The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.',
    );
  throw new S3Error('AccessDenied');
}

function checkTime(claim: SignatureClaim, time: number, now: number): void {
  const skewed = () =>
    new S3Error('RequestTimeTooSkewed', undefined, {
      fields: {
        RequestTime: claim.amzDate,
        ServerTime: new Date(now).toISOString(),
        MaxAllowedSkewMilliseconds: String(MAX_SKEW),
      },
    });
  if (claim.expires === undefined) {
    if (Math.abs(now - time) > MAX_SKEW) throw skewed();
    return;
  }
  if (time - now > MAX_SKEW) throw new S3Error('AccessDenied', 'Request is not valid yet');
  const end = time + claim.expires * 1000;
  if (now > end)
    throw new S3Error('AccessDenied', 'Request has expired', {
      fields: {
        'X-Amz-Expires': String(claim.expires),
        Expires: new Date(end).toISOString(),
        ServerTime: new Date(now).toISOString(),
      },
    });
}

/** Every header named must be there; the host and every x-amz-* header that is there must be named. */
function checkSignedHeaders(request: S3Request, claim: SignatureClaim): void {
  const signed = new Set(claim.signedHeaders);
  // Each name adds the whole header to what is hashed: repeated ones would make megabytes of a short request.
  if (signed.size !== claim.signedHeaders.length)
    throw new S3Error('SignatureDoesNotMatch', 'A header is signed more than once.');
  const absent = claim.signedHeaders.find((name) => request.headers.values(name).length === 0);
  if (absent !== undefined) throw new S3Error('SignatureDoesNotMatch', `The signed header ${absent} is not in the request.`);
  const unsigned = request.headers.names().filter((name) => (name === 'host' || name.startsWith('x-amz-')) && !signed.has(name));
  // A presigned address carries its body's hash in the query, so the header of that name says nothing there.
  const left = claim.expires === undefined ? unsigned : unsigned.filter((name) => name !== 'x-amz-content-sha256');
  if (left.length > 0 || !signed.has('host'))
    throw new S3Error('AccessDenied', 'There were headers present in the request which were not signed', {
      fields: { HeadersNotSigned: left.join(', ') || 'host' },
    });
}

function matches(request: S3Request, claim: SignatureClaim, key: Buffer): boolean {
  const canonical = canonicalRequest(request, claim.signedHeaders, claim.payloadHash);
  const sign = (encoding: 'latin1' | 'utf8') =>
    hmac(key, stringToSign(claim.amzDate, scopeOf(claim), sha256Hex(canonical, encoding))).toString('hex');
  if (equalSecret(sign('latin1'), claim.signature)) return true;
  // Clients that write a header as latin1 sign the UTF-8 of the same text.
  // oxlint-disable-next-line no-control-regex -- ASCII is the range meant
  return /[^\u0000-\u007f]/.test(canonical) && equalSecret(sign('utf8'), claim.signature);
}
