import { ALGORITHMS } from '../checksums/algorithms.js';
import { openCopySource } from '../copy-source.js';
import { S3Error } from '../errors.js';
import type { Command } from '../service.js';
import { slowAnswer } from '../slow-response.js';
import { partNumber, requireUpload, uploadChecksum } from '../uploads.js';
import { quoted } from '../messages/object-headers.js';
import { parseCopyRange } from '../messages/ranges.js';
import { MAX_PUT } from '../messages/sizes.js';
import { checksumXml } from '../messages/checksum-xml.js';
import { xmlDocument } from '../xml/write.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPartCopy.html */
export const uploadPartCopy: Command = {
  name: 'UploadPartCopy',
  method: 'PUT',
  on: 'object',
  query: ['partNumber', 'uploadId'],
  header: 'x-amz-copy-source',
  access: 'write',
  alsoReads: true,
  async run(call) {
    const number = partNumber(call);
    const upload = await requireUpload(call);
    const { opened } = await openCopySource(call);
    const range = parseCopyRange(call.request.headers.get('x-amz-copy-source-range'), opened.file.size);
    if (range.end - range.start + 1 > MAX_PUT) throw new S3Error('EntityTooLarge');
    const { algorithm } = uploadChecksum(upload);
    const copied = call.service.blobs.copyPart(upload, number, opened, range, {
      credential: { kind: 's3', id: call.grant.id },
      ...(algorithm && { hashers: { [algorithm]: ALGORITHMS[algorithm].hasher() } }),
      signal: call.signal,
    });
    return slowAnswer(
      copied.then((part) =>
        xmlDocument('CopyPartResult', {
          LastModified: new Date(part.createdAt).toISOString(),
          ETag: quoted(part.etag),
          ...checksumXml(part.checksums),
        }),
      ),
    );
  },
};
