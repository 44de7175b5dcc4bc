import { createHash } from 'node:crypto';
import type { CompleteOptions, Part, Upload } from '../storage/blobs.js';
import { ALGORITHM_NAMES, compositeChecksum, joinedChecksum } from './checksums/algorithms.js';
import type { ChecksumAlgorithm, ChecksumType } from './checksums/algorithms.js';
import { S3Error } from './errors.js';
import { uploadChecksum } from './uploads.js';
import type { S3Request } from './messages/request.js';
import { MAX_PARTS, MIN_PART } from './messages/sizes.js';
import { childText, onlyChildren, readXml, requiredText } from './xml/read.js';

/** One part as CompleteMultipartUpload lists it. */
export interface StatedPart {
  number: number;
  /** Without quotes. */
  etag: string;
  checksums: Partial<Record<ChecksumAlgorithm, string>>;
}

/** Tags of a part with its number, its ETag and two checksums, and a little more. */
const MARKS_OF_PART = 12;

/** @throws S3Error `MalformedXML`, `InvalidPartOrder`. */
export function readParts(text: string): StatedPart[] {
  const all = onlyChildren(readXml(text, 'CompleteMultipartUpload', MARKS_OF_PART * MAX_PARTS), 'Part').map((part) => {
    const number = requiredText(part, 'PartNumber').trim();
    if (!/^\d{1,6}$/.test(number)) throw new S3Error('MalformedXML');
    const checksums: StatedPart['checksums'] = {};
    for (const algorithm of ALGORITHM_NAMES) {
      const value = childText(part, `Checksum${algorithm.toUpperCase()}`)?.trim();
      if (value) checksums[algorithm] = value;
    }
    return { number: Number(number), etag: requiredText(part, 'ETag').trim().replace(/^"|"$/g, ''), checksums };
  });
  if (all.length === 0) throw new S3Error('MalformedXML');
  // A part that was sent again may stand there twice: the later one counts.
  const parts = all.filter((part, at) => part.number !== all[at + 1]?.number);
  if (parts.some((part, at) => at > 0 && part.number <= parts[at - 1]!.number)) throw new S3Error('InvalidPartOrder');
  if (parts.length > MAX_PARTS) throw new S3Error('MalformedXML', `An upload has at most ${MAX_PARTS} parts.`);
  return parts;
}

/** MD5 of the parts' MD5s, and how many they are. */
export function multipartEtag(parts: readonly { etag: string }[]): string {
  const hash = createHash('md5');
  for (const part of parts) hash.update(Buffer.from(part.etag, 'hex'));
  return `${hash.digest('hex')}-${parts.length}`;
}

type Completion = Required<Pick<CompleteOptions, 'parts' | 'etag' | 'checksums'>> & { checksumType: ChecksumType | undefined };

/** Judges a stated list against the parts that are there. @throws S3Error `InvalidPart`, `EntityTooSmall`, `BadDigest`, `InvalidRequest`. */
export function completion(
  request: S3Request,
  upload: Upload,
  stated: readonly StatedPart[],
  stored: readonly Part[],
): Completion {
  const byNumber = new Map(stored.map((part) => [part.number, part]));
  const parts = stated.map((one) => {
    const part = byNumber.get(one.number);
    const differs = (Object.keys(one.checksums) as ChecksumAlgorithm[]).some(
      (name) => part?.checksums[name] !== one.checksums[name],
    );
    if (!part || part.etag !== one.etag.toLowerCase() || differs)
      throw new S3Error('InvalidPart', undefined, {
        fields: { UploadId: upload.id, PartNumber: String(one.number), ETag: one.etag },
      });
    return part;
  });
  const small = parts.slice(0, -1).find((part) => part.size < MIN_PART);
  if (small)
    throw new S3Error('EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size', {
      fields: {
        ETag: small.etag,
        PartNumber: String(small.number),
        ProposedSize: String(small.size),
        MinSizeAllowed: String(MIN_PART),
      },
    });
  checkSize(request, parts);
  return {
    parts: parts.map(({ number, etag }) => ({ number, etag })),
    etag: multipartEtag(parts),
    ...wholeChecksum(request, upload, parts),
  };
}

function checkSize(request: S3Request, parts: readonly Part[]): void {
  const stated = request.headers.get('x-amz-mp-object-size');
  if (stated === undefined) return;
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  if (!/^\d{1,15}$/.test(stated) || Number(stated) !== size)
    throw new S3Error(
      'InvalidRequest',
      `The provided 'x-amz-mp-object-size' header value ${stated} does not match what was computed: ${size}`,
    );
}

/** The checksum of the object: of the algorithm that was fixed at the start, or of the one every part has. */
function wholeChecksum(
  request: S3Request,
  upload: Upload,
  parts: readonly Part[],
): Pick<Completion, 'checksums' | 'checksumType'> {
  const fixed = uploadChecksum(upload);
  const statedType = request.headers.get('x-amz-checksum-type')?.toUpperCase();
  if (statedType !== undefined && fixed.type !== undefined && statedType !== fixed.type)
    throw new S3Error(
      'InvalidRequest',
      `The upload was created using the ${fixed.type} checksum mode. The complete request must use the same checksum mode.`,
    );
  const { algorithm } = fixed;
  if (!algorithm) return { checksums: {}, checksumType: undefined };
  const facts = parts.map((part) => ({ value: part.checksums[algorithm] ?? '', size: part.size }));
  const whole = fixed.type === 'FULL_OBJECT' ? joinedChecksum(algorithm, facts) : compositeChecksum(algorithm, facts);
  const stated = request.headers.get(`x-amz-checksum-${algorithm}`);
  // A composite may be stated with or without its count.
  if (stated !== undefined && stated !== whole && !(fixed.type === 'COMPOSITE' && stated === whole.replace(/-\d+$/, '')))
    throw new S3Error('BadDigest', `The ${algorithm} you specified did not match the calculated checksum.`);
  return { checksums: { [algorithm]: whole }, checksumType: fixed.type };
}
