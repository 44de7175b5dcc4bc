import { S3ServiceError } from '../errors.js';
import type { Command } from '../command.js';
import { partNumber, requireUpload, uploadChecksum } from '../multipart/uploads.js';
import { digestChecks } from '../body/digest-checks.js';
import { quoteEtag } from '../messages/object-headers.js';
import { MAX_PUT_BYTES } from '../messages/limits.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPart.html */
export const uploadPart: Command = {
  name: 'UploadPart',
  method: 'PUT',
  target: 'object',
  requiredQuery: ['partNumber', 'uploadId'],
  access: 'write',
  async run(context) {
    const number = partNumber(context);
    const upload = await requireUpload(context);
    const { algorithm } = uploadChecksum(upload);
    const body = context.payload();
    const checks = digestChecks(context.request, body, algorithm);
    if (algorithm && checks.algorithm !== algorithm)
      throw new S3ServiceError(
        'InvalidRequest',
        `Checksum Type mismatch occurred, expected checksum Type: ${algorithm}, actual checksum Type: ${checks.algorithm}`,
      );
    const part = await context.service.blobs.putPart(upload, number, body.chunks, {
      ...(body.size !== undefined && { size: body.size }),
      credential: { kind: 's3', id: context.grant.id },
      maxSize: MAX_PUT_BYTES,
      hashers: checks.hashers,
      check: checks.check,
      signal: context.signal,
    });
    const checksums = Object.entries(part.checksums).map(([name, value]) => [`x-amz-checksum-${name}`, value] as const);
    return { status: 200, headers: { etag: quoteEtag(part.etag), ...Object.fromEntries(checksums) } };
  },
};
