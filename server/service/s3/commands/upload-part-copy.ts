import { ALGORITHMS } from '../checksums/algorithms.js';
import { openCopySource } from '../objects/copy-source.js';
import { S3ServiceError } from '../errors.js';
import type { Command } from '../command.js';
import { slowResponse } from '../messages/slow-response.js';
import { partNumber, requireUpload, uploadChecksum } from '../multipart/uploads.js';
import { quoteEtag } from '../messages/object-headers.js';
import { parseCopyRange } from '../messages/ranges.js';
import { MAX_PUT_BYTES } from '../messages/limits.js';
import { checksumXml } from '../messages/checksum-xml.js';
import { xmlDocument } from '../xml/write-xml.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPartCopy.html */
export const uploadPartCopy: Command = {
  name: 'UploadPartCopy',
  method: 'PUT',
  target: 'object',
  requiredQuery: ['partNumber', 'uploadId'],
  requiredHeader: 'x-amz-copy-source',
  access: 'write',
  alsoReadsData: true,
  async run(context) {
    const number = partNumber(context);
    const upload = await requireUpload(context);
    const { opened } = await openCopySource(context);
    const range = parseCopyRange(context.request.headers.get('x-amz-copy-source-range'), opened.file.size);
    if (range.end - range.start + 1 > MAX_PUT_BYTES) throw new S3ServiceError('EntityTooLarge');
    const { algorithm } = uploadChecksum(upload);
    const copied = context.service.blobs.copyPart(upload, number, opened, range, {
      credential: { kind: 's3', id: context.grant.id },
      ...(algorithm && { hashers: { [algorithm]: ALGORITHMS[algorithm].hasher() } }),
      signal: context.signal,
    });
    return slowResponse(
      copied.then((part) =>
        xmlDocument('CopyPartResult', {
          LastModified: new Date(part.createdAt).toISOString(),
          ETag: quoteEtag(part.etag),
          ...checksumXml(part.checksums),
        }),
      ),
    );
  },
};
