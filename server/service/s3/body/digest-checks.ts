import type { BodySummary, Hasher } from '../../storage/blob-storage.js';
import { ALGORITHMS, ALGORITHM_NAMES, parseAlgorithm, isChecksum } from '../checksums/algorithms.js';
import type { ChecksumAlgorithm } from '../checksums/algorithms.js';
import { S3ServiceError } from '../errors.js';
import type { Payload } from './payload.js';
import type { S3Request } from '../messages/request.js';

/** Checks of the digests that a client sent in headers or trailers. */
export interface DigestChecks {
  /** The checksum algorithm whose value is stored with the object. */
  algorithm: ChecksumAlgorithm | undefined;
  /** Hashers that the storage must feed with the body. */
  hashers: Record<string, Hasher>;
  /** Must be called after the last byte. @throws S3ServiceError `BadDigest`, `XAmzContentSHA256Mismatch`. */
  check(summary: Pick<BodySummary, 'sha256' | 'md5' | 'checksums'>): void;
}

const HEADER = 'x-amz-checksum-';

/**
 * Reads the digests of a request.
 * @param fallback the algorithm to compute if the request names none.
 * @throws S3ServiceError for malformed, contradictory or missing digests.
 */
export function digestChecks(request: S3Request, payload: Payload, fallback?: ChecksumAlgorithm): DigestChecks {
  const stated = statedChecksum(request, payload);
  const signed = signedDigestChecks(request, payload);
  const algorithm = stated?.algorithm ?? fallback;
  return {
    algorithm,
    hashers: algorithm ? { [algorithm]: ALGORITHMS[algorithm].hasher() } : {},
    check(summary) {
      signed.check(summary);
      if (!stated) return;
      const value = stated.value ?? payload.trailers.get(HEADER + stated.algorithm) ?? '';
      if (!isChecksum(stated.algorithm, value)) throw invalidChecksum(stated.algorithm);
      if (summary.checksums[stated.algorithm] !== value)
        throw new S3ServiceError(
          'BadDigest',
          `The ${ALGORITHMS[stated.algorithm].name} you specified did not match the calculated checksum.`,
        );
    },
  };
}

/** Checks the SHA-256 that the signature covers and `Content-MD5`. */
export function signedDigestChecks(request: S3Request, payload: Payload): DigestChecks {
  const md5 = statedMd5(request);
  return {
    algorithm: undefined,
    hashers: {},
    check(summary) {
      if (payload.sha256 !== undefined && summary.sha256 !== payload.sha256)
        throw new S3ServiceError('XAmzContentSHA256Mismatch', undefined, {
          fields: { ClientComputedContentSHA256: payload.sha256, S3ComputedContentSHA256: summary.sha256 },
        });
      if (md5 !== undefined && summary.md5 !== md5)
        throw new S3ServiceError('BadDigest', 'The Content-MD5 you specified did not match what we received.', {
          fields: { ExpectedDigest: md5, CalculatedDigest: summary.md5 },
        });
    },
  };
}

const invalidChecksum = (algorithm: ChecksumAlgorithm) =>
  new S3ServiceError('BadDigest', `Value for ${HEADER}${algorithm} header is invalid.`);

/** Reads `Content-MD5` as hex. */
function statedMd5(request: S3Request): string | undefined {
  const text = request.headers.get('content-md5');
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== 16 || bytes.toString('base64') !== text)
    throw new S3ServiceError('InvalidDigest', 'The Content-MD5 you specified was invalid.');
  return bytes.toString('hex');
}

interface StatedChecksum {
  algorithm: ChecksumAlgorithm;
  /** undefined if it arrives as a trailer. */
  value: string | undefined;
}

/** Reads the `x-amz-checksum-…` header or the announced trailer. S3 allows one. */
function statedChecksum(request: S3Request, payload: Payload): StatedChecksum | undefined {
  const checksums = ALGORITHM_NAMES.flatMap((algorithm): StatedChecksum[] => {
    const value = request.headers.get(HEADER + algorithm);
    if (value !== undefined) return [{ algorithm, value }];
    return payload.trailerNames.includes(HEADER + algorithm) ? [{ algorithm, value: undefined }] : [];
  });
  if (checksums.length > 1)
    throw new S3ServiceError(
      'InvalidRequest',
      'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
    );
  if (payload.trailerNames.some((name) => !name.startsWith(HEADER) || !parseAlgorithm(name.slice(HEADER.length))))
    throw new S3ServiceError('InvalidRequest', 'The value specified in the x-amz-trailer header is not supported');
  const stated = checksums[0];
  checkSdkAlgorithm(request, stated);
  if (stated?.value !== undefined && !isChecksum(stated.algorithm, stated.value)) throw invalidChecksum(stated.algorithm);
  return stated;
}

/** Compares `x-amz-sdk-checksum-algorithm` with the checksum of the request. @throws S3ServiceError `InvalidRequest` */
function checkSdkAlgorithm(request: S3Request, stated: StatedChecksum | undefined): void {
  const name = request.headers.get('x-amz-sdk-checksum-algorithm');
  if (name === undefined) return;
  const algorithm = parseAlgorithm(name);
  const invalid = () => new S3ServiceError('InvalidRequest', 'Value for x-amz-sdk-checksum-algorithm header is invalid.');
  if (!algorithm) throw invalid();
  if (!stated)
    throw new S3ServiceError(
      'InvalidRequest',
      'x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.',
    );
  if (stated.algorithm !== algorithm) throw invalid();
}
