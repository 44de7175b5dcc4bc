import { ALGORITHMS, parseAlgorithm } from '../checksums/algorithms.js';
import { S3ServiceError } from '../errors.js';
import type { Command } from '../command.js';
import { UPLOAD_LIFETIME_MS, abortHeaders } from '../multipart/uploads.js';
import type { UploadChecksum } from '../multipart/uploads.js';
import { objectProperties } from '../messages/object-properties.js';
import type { S3Request } from '../messages/request.js';
import { xmlDocument } from '../xml/write-xml.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateMultipartUpload.html */
export const createMultipartUpload: Command = {
  name: 'CreateMultipartUpload',
  method: 'POST',
  target: 'object',
  requiredQuery: ['uploads'],
  access: 'write',
  async run({ service, request, grant, bucket, storage, key }) {
    const checksum = requestedChecksum(request);
    const upload = await service.blobs.createUpload(storage, key, {
      kind: 's3',
      properties: objectProperties(request),
      credential: { kind: 's3', id: grant.id },
      state: { ...checksum },
      expiresAt: service.now() + UPLOAD_LIFETIME_MS,
    });
    const body = xmlDocument('InitiateMultipartUploadResult', { Bucket: bucket.name, Key: key, UploadId: upload.id });
    const headers = {
      ...abortHeaders(upload),
      ...(checksum.algorithm && { 'x-amz-checksum-algorithm': ALGORITHMS[checksum.algorithm].name }),
      ...(checksum.type && { 'x-amz-checksum-type': checksum.type }),
    };
    return { status: 200, headers, body };
  },
};

function requestedChecksum(request: S3Request): UploadChecksum {
  const algorithmName = request.headers.get('x-amz-checksum-algorithm');
  const type = request.headers.get('x-amz-checksum-type')?.toUpperCase();
  if (algorithmName === undefined) {
    if (type !== undefined)
      throw new S3ServiceError(
        'InvalidRequest',
        'The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.',
      );
    return { algorithm: undefined, type: undefined };
  }
  const algorithm = parseAlgorithm(algorithmName);
  if (!algorithm)
    throw new S3ServiceError(
      'InvalidRequest',
      'Checksum algorithm provided is unsupported. Please try again with any of the valid types: [CRC32, CRC32C, CRC64NVME, SHA1, SHA256]',
    );
  const { types, name } = ALGORITHMS[algorithm];
  const chosen = type === undefined ? types[0] : types.find((supported) => supported === type);
  if (!chosen)
    throw new S3ServiceError(
      'InvalidRequest',
      `The ${type} checksum type cannot be used with the ${name.toLowerCase()} checksum algorithm.`,
    );
  return { algorithm, type: chosen };
}
