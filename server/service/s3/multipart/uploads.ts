import type { Upload } from '../../storage/blob-storage.js';
import { parseAlgorithm } from '../checksums/algorithms.js';
import type { ChecksumAlgorithm, ChecksumType } from '../checksums/algorithms.js';
import { S3ServiceError, invalidArgument } from '../errors.js';
import type { ObjectContext } from '../command.js';
import { MAX_PARTS } from '../messages/limits.js';

/** Incomplete multipart uploads are aborted after this time. */
export const UPLOAD_LIFETIME_MS = 7 * 24 * 3600 * 1000;

/** The checksum settings of CreateMultipartUpload, as stored in the state of the upload. */
export interface UploadChecksum {
  algorithm: ChecksumAlgorithm | undefined;
  type: ChecksumType | undefined;
}

export function uploadChecksum(upload: Upload): UploadChecksum {
  const { algorithm, type } = upload.state;
  return {
    algorithm: typeof algorithm === 'string' ? parseAlgorithm(algorithm) : undefined,
    type: type === 'COMPOSITE' || type === 'FULL_OBJECT' ? type : undefined,
  };
}

/** Finds the upload `uploadId` of the key in the request. @throws S3ServiceError `NoSuchUpload` */
export async function requireUpload(context: ObjectContext): Promise<Upload> {
  const upload = await findUpload(context);
  if (!upload) throw noSuchUpload(context);
  return upload;
}

export async function findUpload({ service, request, storage, key }: ObjectContext): Promise<Upload | undefined> {
  const upload = await service.blobs.findUpload(storage, request.query.get('uploadId')!);
  return upload?.kind === 's3' && upload.key === key ? upload : undefined;
}

export const noSuchUpload = ({ request }: ObjectContext) =>
  new S3ServiceError('NoSuchUpload', undefined, { fields: { UploadId: request.query.get('uploadId')! } });

/** Reads `partNumber`, 1 to 10,000. @throws S3ServiceError `InvalidArgument` */
export function partNumber({ request }: ObjectContext): number {
  const text = request.query.get('partNumber')!;
  const number = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > MAX_PARTS)
    throw invalidArgument('partNumber', text, `Part number must be an integer between 1 and ${MAX_PARTS}, inclusive`);
  return number;
}

/** Announces when the upload will be aborted, like S3 for a bucket with a lifecycle rule. */
export const abortHeaders = (upload: Upload): Record<string, string> =>
  upload.expiresAt === null
    ? {}
    : { 'x-amz-abort-date': new Date(upload.expiresAt).toUTCString(), 'x-amz-abort-rule-id': 'abandoned-uploads' };

/** Builds the elements `ChecksumAlgorithm` and `ChecksumType` of an upload. */
export const checksumElements = ({ algorithm, type }: UploadChecksum) => ({
  ChecksumAlgorithm: algorithm?.toUpperCase(),
  ChecksumType: algorithm && type,
});
