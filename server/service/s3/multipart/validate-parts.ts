import { createHash } from 'node:crypto';
import { multipartEtag } from '../../../../src/protocol/checksums/multipart-checksums.js';
import type { CompleteOptions, Part, Upload } from '../../storage/blob-storage.js';
import { ALGORITHM_NAMES, compositeChecksum, joinedChecksum } from '../checksums/algorithms.js';
import type { ChecksumAlgorithm, ChecksumType } from '../checksums/algorithms.js';
import { S3ServiceError } from '../errors.js';
import { uploadChecksum } from './uploads.js';
import type { S3Request } from '../messages/request.js';
import { MAX_PARTS, MIN_PART_BYTES } from '../messages/limits.js';
import { childText, onlyChildren, readXml, requiredText } from '../xml/read-xml.js';

/** A part as listed in a CompleteMultipartUpload request. */
export interface ListedPart {
  number: number;
  /** Without quotes. */
  etag: string;
  checksums: Partial<Record<ChecksumAlgorithm, string>>;
}

/** Tags of a part with its number, its ETag and two checksums, and a reserve. */
const TAGS_PER_PART = 12;

/** Parses the body of CompleteMultipartUpload. @throws S3ServiceError `MalformedXML`, `InvalidPartOrder`. */
export function parsePartList(text: string): ListedPart[] {
  const listed = onlyChildren(readXml(text, 'CompleteMultipartUpload', TAGS_PER_PART * MAX_PARTS), 'Part').map((part) => {
    const number = requiredText(part, 'PartNumber').trim();
    if (!/^\d{1,6}$/.test(number)) throw new S3ServiceError('MalformedXML');
    const checksums: ListedPart['checksums'] = {};
    for (const algorithm of ALGORITHM_NAMES) {
      const value = childText(part, `Checksum${algorithm.toUpperCase()}`)?.trim();
      if (value) checksums[algorithm] = value;
    }
    return { number: Number(number), etag: requiredText(part, 'ETag').trim().replace(/^"|"$/g, ''), checksums };
  });
  if (listed.length === 0) throw new S3ServiceError('MalformedXML');
  // Clients may list a part twice after sending it again. The later entry counts.
  const parts = listed.filter((part, index) => part.number !== listed[index + 1]?.number);
  if (parts.some((part, index) => index > 0 && part.number <= parts[index - 1]!.number))
    throw new S3ServiceError('InvalidPartOrder');
  if (parts.length > MAX_PARTS) throw new S3ServiceError('MalformedXML', `An upload has at most ${MAX_PARTS} parts.`);
  return parts;
}

type Completion = Required<Pick<CompleteOptions, 'parts' | 'etag' | 'checksums'>> & { checksumType: ChecksumType | undefined };

/** Compares the listed parts with the stored ones. @throws S3ServiceError `InvalidPart`, `EntityTooSmall`, `BadDigest`, `InvalidRequest`. */
export function validateParts(
  request: S3Request,
  upload: Upload,
  listed: readonly ListedPart[],
  stored: readonly Part[],
): Completion {
  const byNumber = new Map(stored.map((part) => [part.number, part]));
  const parts = listed.map((entry) => {
    const part = byNumber.get(entry.number);
    const differs = (Object.keys(entry.checksums) as ChecksumAlgorithm[]).some(
      (name) => part?.checksums[name] !== entry.checksums[name],
    );
    if (!part || part.etag !== entry.etag.toLowerCase() || differs)
      throw new S3ServiceError('InvalidPart', undefined, {
        fields: { UploadId: upload.id, PartNumber: String(entry.number), ETag: entry.etag },
      });
    return part;
  });
  const small = parts.slice(0, -1).find((part) => part.size < MIN_PART_BYTES);
  if (small)
    throw new S3ServiceError('EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size', {
      fields: {
        ETag: small.etag,
        PartNumber: String(small.number),
        ProposedSize: String(small.size),
        MinSizeAllowed: String(MIN_PART_BYTES),
      },
    });
  validateObjectSize(request, parts);
  const md5 = createHash('md5');
  return {
    parts: parts.map(({ number, etag }) => ({ number, etag })),
    etag: multipartEtag(
      { update: (bytes) => md5.update(bytes), hex: () => md5.digest('hex') },
      parts.map(({ etag }) => etag),
    ),
    ...objectChecksum(request, upload, parts),
  };
}

function validateObjectSize(request: S3Request, parts: readonly Part[]): void {
  const stated = request.headers.get('x-amz-mp-object-size');
  if (stated === undefined) return;
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  if (!/^\d{1,15}$/.test(stated) || Number(stated) !== size)
    throw new S3ServiceError(
      'InvalidRequest',
      `The provided 'x-amz-mp-object-size' header value ${stated} does not match what was computed: ${size}`,
    );
}

/** Computes the checksum of the object and compares it with the one in the request. */
function objectChecksum(
  request: S3Request,
  upload: Upload,
  parts: readonly Part[],
): Pick<Completion, 'checksums' | 'checksumType'> {
  const { algorithm, type } = uploadChecksum(upload);
  const statedType = request.headers.get('x-amz-checksum-type')?.toUpperCase();
  if (statedType !== undefined && type !== undefined && statedType !== type)
    throw new S3ServiceError(
      'InvalidRequest',
      `The upload was created using the ${type} checksum mode. The complete request must use the same checksum mode.`,
    );
  if (!algorithm) return { checksums: {}, checksumType: undefined };
  const partChecksums = parts.map((part) => ({ value: part.checksums[algorithm] ?? '', size: part.size }));
  const computed =
    type === 'FULL_OBJECT' ? joinedChecksum(algorithm, partChecksums) : compositeChecksum(algorithm, partChecksums);
  const stated = request.headers.get(`x-amz-checksum-${algorithm}`);
  // Clients send composite checksums with or without the number of parts.
  const accepted = type === 'COMPOSITE' ? [computed, computed.replace(/-\d+$/, '')] : [computed];
  if (stated !== undefined && !accepted.includes(stated))
    throw new S3ServiceError('BadDigest', `The ${algorithm} you specified did not match the calculated checksum.`);
  return { checksums: { [algorithm]: computed }, checksumType: type };
}
