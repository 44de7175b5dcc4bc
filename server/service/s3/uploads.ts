import type { Upload } from '../storage/blobs.js';
import { algorithmNamed } from './checksums/algorithms.js';
import type { ChecksumAlgorithm, ChecksumType } from './checksums/algorithms.js';
import { S3Error, invalidArgument } from './errors.js';
import type { ObjectCall } from './service.js';
import { MAX_PARTS } from './messages/sizes.js';

/** A multipart upload that nobody completes is aborted after this long; every answer about one says when. ms. */
export const UPLOAD_LIFETIME = 7 * 24 * 3600 * 1000;

/** What CreateMultipartUpload fixed of the checksums; kept in the upload's state. */
export interface UploadChecksum {
  algorithm: ChecksumAlgorithm | undefined;
  type: ChecksumType | undefined;
}

export function uploadChecksum(upload: Upload): UploadChecksum {
  const { algorithm, type } = upload.state;
  return {
    algorithm: typeof algorithm === 'string' ? algorithmNamed(algorithm) : undefined,
    type: type === 'COMPOSITE' || type === 'FULL_OBJECT' ? type : undefined,
  };
}

/** The upload that `uploadId` names, which must be one of this key. @throws S3Error `NoSuchUpload`. */
export async function requireUpload(call: ObjectCall): Promise<Upload> {
  const upload = await findUpload(call);
  if (!upload) throw noSuchUpload(call);
  return upload;
}

export async function findUpload({ service, request, storage, key }: ObjectCall): Promise<Upload | undefined> {
  const upload = await service.blobs.findUpload(storage, request.query.get('uploadId')!);
  return upload?.kind === 's3' && upload.key === key ? upload : undefined;
}

export const noSuchUpload = ({ request }: ObjectCall) =>
  new S3Error('NoSuchUpload', undefined, { fields: { UploadId: request.query.get('uploadId')! } });

/** 1 to 10,000. */
export function partNumber({ request }: ObjectCall): number {
  const text = request.query.get('partNumber')!;
  const number = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > MAX_PARTS)
    throw invalidArgument('partNumber', text, `Part number must be an integer between 1 and ${MAX_PARTS}, inclusive`);
  return number;
}

/** `x-amz-abort-date`, as S3 says it of a bucket that clears its incomplete uploads. */
export const abortHeaders = (upload: Upload): Record<string, string> =>
  upload.expiresAt === null
    ? {}
    : { 'x-amz-abort-date': new Date(upload.expiresAt).toUTCString(), 'x-amz-abort-rule-id': 'abandoned-uploads' };

/** `ChecksumAlgorithm` and `ChecksumType` elements of an upload. */
export const checksumElements = ({ algorithm, type }: UploadChecksum) => ({
  ChecksumAlgorithm: algorithm?.toUpperCase(),
  ChecksumType: algorithm && type,
});
