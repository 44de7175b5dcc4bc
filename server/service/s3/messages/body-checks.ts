import { createHash } from 'node:crypto';
import type { BodyFacts, Hasher } from '../../storage/blobs.js';
import { ALGORITHMS, ALGORITHM_NAMES, algorithmNamed, isChecksum } from '../checksums/algorithms.js';
import type { ChecksumAlgorithm } from '../checksums/algorithms.js';
import { S3Error } from '../errors.js';
import type { Payload } from './payload.js';
import type { S3Request } from './request.js';

/** What must hold of a body before it counts: the digests its sender stated, wherever they stood. */
export interface BodyChecks {
  /** The additional checksum that is kept with the object. */
  algorithm: ChecksumAlgorithm | undefined;
  hashers: Record<string, Hasher>;
  /** Called when the last byte has come. @throws S3Error for a digest that differs. */
  check(facts: Pick<BodyFacts, 'sha256' | 'md5' | 'checksums'>): void;
}

const HEADER = 'x-amz-checksum-';

/** @throws S3Error for digests that are malformed, too many, or announced and absent. */
export function bodyChecks(request: S3Request, payload: Payload, fallback?: ChecksumAlgorithm): BodyChecks {
  const stated = statedChecksum(request, payload);
  const whole = wholeChecks(request, payload);
  const algorithm = stated?.algorithm ?? fallback;
  return {
    algorithm,
    hashers: algorithm ? { [algorithm]: ALGORITHMS[algorithm].hasher() } : {},
    check(facts) {
      whole.check(facts);
      if (!stated) return;
      const value = stated.value ?? payload.trailers.get(HEADER + stated.algorithm) ?? '';
      if (!isChecksum(stated.algorithm, value)) throw invalidChecksum(stated.algorithm);
      if (facts.checksums[stated.algorithm] !== value)
        throw new S3Error(
          'BadDigest',
          `The ${ALGORITHMS[stated.algorithm].name} you specified did not match the calculated checksum.`,
        );
    },
  };
}

/** The digests that stand beside the additional checksums: what the signature vouches for, and `Content-MD5`. */
function wholeChecks(request: S3Request, payload: Payload): BodyChecks {
  const md5 = statedMd5(request);
  return {
    algorithm: undefined,
    hashers: {},
    check(facts) {
      if (payload.sha256 !== undefined && facts.sha256 !== payload.sha256)
        throw new S3Error('XAmzContentSHA256Mismatch', undefined, {
          fields: { ClientComputedContentSHA256: payload.sha256, S3ComputedContentSHA256: facts.sha256 },
        });
      if (md5 !== undefined && facts.md5 !== md5)
        throw new S3Error('BadDigest', 'The Content-MD5 you specified did not match what we received.', {
          fields: { ExpectedDigest: md5, CalculatedDigest: facts.md5 },
        });
    },
  };
}

const invalidChecksum = (algorithm: ChecksumAlgorithm) =>
  new S3Error('BadDigest', `Value for ${HEADER}${algorithm} header is invalid.`);

/** `Content-MD5` in hex. */
function statedMd5(request: S3Request): string | undefined {
  const text = request.headers.get('content-md5');
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== 16 || bytes.toString('base64') !== text)
    throw new S3Error('InvalidDigest', 'The Content-MD5 you specified was invalid.');
  return bytes.toString('hex');
}

interface StatedChecksum {
  algorithm: ChecksumAlgorithm;
  /** Undefined while it is still to come as a trailer. */
  value: string | undefined;
}

/** The one additional checksum a request states. */
function statedChecksum(request: S3Request, payload: Payload): StatedChecksum | undefined {
  const found = ALGORITHM_NAMES.flatMap((algorithm): StatedChecksum[] => {
    const value = request.headers.get(HEADER + algorithm);
    if (value !== undefined) return [{ algorithm, value }];
    return payload.trailerNames.includes(HEADER + algorithm) ? [{ algorithm, value: undefined }] : [];
  });
  if (found.length > 1)
    throw new S3Error('InvalidRequest', 'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.');
  if (payload.trailerNames.some((name) => !name.startsWith(HEADER) || !algorithmNamed(name.slice(HEADER.length))))
    throw new S3Error('InvalidRequest', 'The value specified in the x-amz-trailer header is not supported');
  const one = found[0];
  const named = request.headers.get('x-amz-sdk-checksum-algorithm');
  if (named !== undefined) {
    const algorithm = algorithmNamed(named);
    if (!algorithm) throw new S3Error('InvalidRequest', 'Value for x-amz-sdk-checksum-algorithm header is invalid.');
    if (!one)
      throw new S3Error(
        'InvalidRequest',
        'x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.',
      );
    if (one.algorithm !== algorithm)
      throw new S3Error('InvalidRequest', 'Value for x-amz-sdk-checksum-algorithm header is invalid.');
  }
  if (one?.value !== undefined && !isChecksum(one.algorithm, one.value)) throw invalidChecksum(one.algorithm);
  return one;
}

/**
 * Reads a small body whole, with every check it claims.
 * @param about `object`: checksum headers speak of the object the request is about, not of the body.
 * @throws S3Error `MaxMessageLengthExceeded` past `limit` bytes.
 */
export async function readSmall(
  request: S3Request,
  payload: Payload,
  limit: number,
  about: 'body' | 'object' = 'body',
): Promise<string> {
  const tooLong = () => new S3Error('MaxMessageLengthExceeded', undefined, { fields: { MaxMessageLengthBytes: String(limit) } });
  if ((payload.size ?? 0) > limit) throw tooLong();
  const checks = about === 'body' ? bodyChecks(request, payload) : wholeChecks(request, payload);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of payload.chunks) {
    size += chunk.length;
    if (size > limit) throw tooLong();
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  for (const hasher of Object.values(checks.hashers)) hasher.update(body);
  checks.check({
    sha256: createHash('sha256').update(body).digest('hex'),
    md5: createHash('md5').update(body).digest('hex'),
    checksums: Object.fromEntries(Object.entries(checks.hashers).map(([name, hasher]) => [name, hasher.digest()])),
  });
  return body.toString('utf8');
}
