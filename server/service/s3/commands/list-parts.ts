import { invalidArgument } from '../errors.js';
import type { Command } from '../command.js';
import { abortHeaders, checksumElements, requireUpload, uploadChecksum } from '../multipart/uploads.js';
import { keyEncoding, maxKeys, ownerXml } from '../messages/listing.js';
import { quoteEtag } from '../messages/object-headers.js';
import { checksumXml } from '../messages/checksum-xml.js';
import { xmlDocument } from '../xml/write-xml.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListParts.html */
export const listParts: Command = {
  name: 'ListParts',
  method: 'GET',
  target: 'object',
  requiredQuery: ['uploadId'],
  access: 'read',
  async run(context) {
    const { service, request, bucket, grant, key } = context;
    const upload = await requireUpload(context);
    const { type, encode } = keyEncoding(request);
    const max = maxKeys(request, 'max-parts');
    const marker = request.query.get('part-number-marker') ?? '0';
    if (!/^\d{1,6}$/.test(marker))
      throw invalidArgument('part-number-marker', marker, 'Provided part-number-marker not an integer or within integer range');
    const listed = await service.blobs.listParts(upload, { after: Number(marker), limit: max + 1 });
    const parts = listed.slice(0, max);
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
      IsTruncated: listed.length > max,
      Part: parts.map((part) => ({
        PartNumber: part.number,
        LastModified: new Date(part.createdAt).toISOString(),
        ETag: quoteEtag(part.etag),
        Size: part.size,
        ...checksumXml(part.checksums),
      })),
    });
    return { status: 200, headers: abortHeaders(upload), body };
  },
};
