import { S3ServiceError } from '../errors.js';
import type { S3Request } from '../messages/request.js';
import { ALGORITHM } from './canonical-request.js';
import { formatAmzDate, parseCredential, parseSignedHeaders } from './request-signature.js';
import type { RequestSignature } from './request-signature.js';

const malformed = (reason: string) =>
  new S3ServiceError('AuthorizationHeaderMalformed', `The authorization header is malformed; ${reason}`);

/** Parses `Authorization: AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…`. @throws S3ServiceError */
export function parseAuthorizationHeader(request: S3Request, authorization: string): RequestSignature {
  if (!authorization.startsWith(`${ALGORITHM} `) && !authorization.startsWith(`${ALGORITHM}\t`))
    throw new S3ServiceError(
      'InvalidRequest',
      'The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.',
    );
  const fields = new Map<string, string>();
  for (const part of authorization.slice(ALGORITHM.length).split(',')) {
    const equals = part.indexOf('=');
    const name = part.slice(0, Math.max(0, equals)).trim();
    if (equals === -1 || fields.has(name)) throw malformed('it must contain Credential, SignedHeaders and Signature once each.');
    fields.set(name, part.slice(equals + 1).trim());
  }
  const [credential, signedHeaders, signature] = [fields.get('Credential'), fields.get('SignedHeaders'), fields.get('Signature')];
  if (!credential || !signedHeaders || !signature || fields.size !== 3)
    throw malformed('it must contain Credential, SignedHeaders and Signature once each.');

  const payloadHash = request.headers.get('x-amz-content-sha256');
  if (payloadHash === undefined)
    throw new S3ServiceError('InvalidRequest', 'Missing required header for this request: x-amz-content-sha256');
  return {
    ...parseCredential(credential, malformed),
    signedHeaders: parseSignedHeaders(signedHeaders),
    value: signature,
    amzDate: requestTime(request),
    expires: undefined,
    payloadHash,
  };
}

/** Reads `x-amz-date`, or `Date` from older clients. @throws S3ServiceError `AccessDenied` */
function requestTime(request: S3Request): string {
  const amzDate = request.headers.get('x-amz-date');
  if (amzDate !== undefined) return amzDate;
  const time = Date.parse(request.headers.get('date') ?? '');
  if (Number.isNaN(time))
    throw new S3ServiceError('AccessDenied', 'AWS authentication requires a valid Date or x-amz-date header');
  return formatAmzDate(time);
}
