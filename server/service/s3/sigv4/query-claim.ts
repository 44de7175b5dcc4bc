import { S3Error } from '../errors.js';
import type { S3Request } from '../messages/request.js';
import { ALGORITHM } from './canonical.js';
import { parseCredential, parseSignedHeaders } from './claim.js';
import type { SignatureClaim } from './claim.js';

/** Seven days, S3's bound for a presigned address. */
const MAX_EXPIRES = 604_800;

const REQUIRED = ['X-Amz-Algorithm', 'X-Amz-Credential', 'X-Amz-Signature', 'X-Amz-Date', 'X-Amz-SignedHeaders', 'X-Amz-Expires'];

const wrong = (why: string) => new S3Error('AuthorizationQueryParametersError', why);

/** The claim of a presigned address. */
export function claimFromQuery(request: S3Request): SignatureClaim {
  const [algorithm, credential, signature, amzDate, signedHeaders, expires] = REQUIRED.map((name) => {
    const values = request.query.pairs.filter((pair) => pair[0] === name);
    if (values.length !== 1 || values[0]![1] === '')
      throw wrong(`Query-string authentication version 4 requires the ${REQUIRED.join(', ')} parameters.`);
    return values[0]![1];
  }) as [string, string, string, string, string, string];
  if (algorithm !== ALGORITHM) throw wrong(`X-Amz-Algorithm only supports "${ALGORITHM}"`);
  if (!/^-?\d{1,9}$/.test(expires)) throw wrong('X-Amz-Expires should be a number');
  const seconds = Number(expires);
  if (seconds < 1) throw new S3Error('AccessDenied', 'Request has expired', { fields: { 'X-Amz-Expires': expires } });
  if (seconds > MAX_EXPIRES)
    throw wrong(
      'X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 seconds',
    );
  return {
    ...parseCredential(credential, (why) => wrong(`Error parsing the X-Amz-Credential parameter; ${why}`)),
    signedHeaders: parseSignedHeaders(signedHeaders),
    signature,
    amzDate,
    expires: seconds,
    payloadHash: request.query.get('X-Amz-Content-Sha256') ?? request.headers.get('x-amz-content-sha256') ?? 'UNSIGNED-PAYLOAD',
  };
}
