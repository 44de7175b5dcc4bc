import { S3Error } from '../errors.js';
import type { Command } from '../service.js';
import { partNumber, requireUpload, uploadChecksum } from '../uploads.js';
import { bodyChecks } from '../messages/body-checks.js';
import { quoted } from '../messages/object-headers.js';
import { MAX_PUT } from '../messages/sizes.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPart.html */
export const uploadPart: Command = {
  name: 'UploadPart',
  method: 'PUT',
  on: 'object',
  query: ['partNumber', 'uploadId'],
  access: 'write',
  async run(call) {
    const number = partNumber(call);
    const upload = await requireUpload(call);
    const { algorithm } = uploadChecksum(upload);
    const body = call.payload();
    const checks = bodyChecks(call.request, body, algorithm);
    if (algorithm && checks.algorithm !== algorithm)
      throw new S3Error(
        'InvalidRequest',
        `Checksum Type mismatch occurred, expected checksum Type: ${algorithm}, actual checksum Type: ${checks.algorithm}`,
      );
    const part = await call.service.blobs.putPart(upload, number, body.chunks, {
      ...(body.size !== undefined && { size: body.size }),
      credential: { kind: 's3', id: call.grant.id },
      maxSize: MAX_PUT,
      hashers: checks.hashers,
      check: checks.check,
      signal: call.signal,
    });
    const checksums = Object.entries(part.checksums).map(([name, value]) => [`x-amz-checksum-${name}`, value] as const);
    return { status: 200, headers: { etag: quoted(part.etag), ...Object.fromEntries(checksums) } };
  },
};
