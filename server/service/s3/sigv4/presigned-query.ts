import { S3ServiceError } from '../errors.js';
import type { S3Request } from '../messages/request.js';
import { ALGORITHM } from './canonical-request.js';
import { parseCredential, parseSignedHeaders } from './request-signature.js';
import type { RequestSignature } from './request-signature.js';

/** S3's limit for the lifetime of a presigned URL: seven days, in seconds. */
const MAX_EXPIRES = 604_800;

const REQUIRED = ['X-Amz-Algorithm', 'X-Amz-Credential', 'X-Amz-Signature', 'X-Amz-Date', 'X-Amz-SignedHeaders', 'X-Amz-Expires'];

const invalidQuery = (reason: string) => new S3ServiceError('AuthorizationQueryParametersError', reason);

/** Parses the signature in the query of a presigned URL. @throws S3ServiceError `AuthorizationQueryParametersError`, `AccessDenied`. */
export function parsePresignedQuery(request: S3Request): RequestSignature {
  const [algorithm, credential, signature, amzDate, signedHeaders, expires] = REQUIRED.map((name) => {
    const values = request.query.pairs.filter((pair) => pair[0] === name);
    if (values.length !== 1 || values[0]![1] === '')
      throw invalidQuery(`Query-string authentication version 4 requires the ${REQUIRED.join(', ')} parameters.`);
    return values[0]![1];
  }) as [string, string, string, string, string, string];
  if (algorithm !== ALGORITHM) throw invalidQuery(`X-Amz-Algorithm only supports "${ALGORITHM}"`);
  if (!/^-?\d{1,9}$/.test(expires)) throw invalidQuery('X-Amz-Expires should be a number');
  const seconds = Number(expires);
  if (seconds < 1) throw new S3ServiceError('AccessDenied', 'Request has expired', { fields: { 'X-Amz-Expires': expires } });
  if (seconds > MAX_EXPIRES)
    throw invalidQuery(
      'X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 seconds',
    );
  return {
    ...parseCredential(credential, (reason) => invalidQuery(`Error parsing the X-Amz-Credential parameter; ${reason}`)),
    signedHeaders: parseSignedHeaders(signedHeaders),
    value: signature,
    amzDate,
    expires: seconds,
    payloadHash: request.query.get('X-Amz-Content-Sha256') ?? request.headers.get('x-amz-content-sha256') ?? 'UNSIGNED-PAYLOAD',
  };
}
