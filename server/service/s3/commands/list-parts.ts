import { invalidArgument } from '../errors.js';
import type { Command } from '../service.js';
import { abortHeaders, checksumElements, requireUpload, uploadChecksum } from '../uploads.js';
import { keyEncoding, maxKeys, ownerXml } from '../messages/listing.js';
import { quoted } from '../messages/object-headers.js';
import { checksumXml } from '../messages/checksum-xml.js';
import { xmlDocument } from '../xml/write.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListParts.html */
export const listParts: Command = {
  name: 'ListParts',
  method: 'GET',
  on: 'object',
  query: ['uploadId'],
  access: 'read',
  async run(call) {
    const { service, request, bucket, grant, key } = call;
    const upload = await requireUpload(call);
    const { type, encode } = keyEncoding(request);
    const max = maxKeys(request, 'max-parts');
    const marker = request.query.get('part-number-marker') ?? '0';
    if (!/^\d{1,6}$/.test(marker))
      throw invalidArgument('part-number-marker', marker, 'Provided part-number-marker not an integer or within integer range');
    const found = await service.blobs.listParts(upload, { after: Number(marker), limit: max + 1 });
    const parts = found.slice(0, max);
    const owner = ownerXml(grant.accountId);
    const body = xmlDocument('ListPartsResult', {
      Bucket: bucket.name,
      Key: encode(key),
      UploadId: upload.id,
      Initiator: owner,
      Owner: owner,
      StorageClass: 'STANDARD',
      ...checksumElements(uploadChecksum(upload)),
      PartNumberMarker: Number(marker),
      NextPartNumberMarker: parts.at(-1)?.number ?? 0,
      MaxParts: max,
      EncodingType: type,
      IsTruncated: found.length > max,
      Part: parts.map((part) => ({
        PartNumber: part.number,
        LastModified: new Date(part.createdAt).toISOString(),
        ETag: quoted(part.etag),
        Size: part.size,
        ...checksumXml(part.checksums),
      })),
    });
    return { status: 200, headers: abortHeaders(upload), body };
  },
};
