import type { UploadListing } from '../../storage/blobs.js';
import type { Command } from '../service.js';
import { checksumElements, uploadChecksum } from '../uploads.js';
import { keyEncoding, maxKeys, ownerXml } from '../messages/listing.js';
import { xmlDocument } from '../xml/write.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListMultipartUploads.html */
export const listMultipartUploads: Command = {
  name: 'ListMultipartUploads',
  method: 'GET',
  on: 'bucket',
  query: ['uploads'],
  access: 'read',
  reach: 'list',
  async run({ request, service, storage, bucket, grant }) {
    const { type, encode } = keyEncoding(request);
    const keyMarker = request.query.get('key-marker') ?? '';
    const idMarker = keyMarker === '' ? '' : (request.query.get('upload-id-marker') ?? '');
    const prefix = request.query.get('prefix') ?? '';
    const delimiter = request.query.get('delimiter') ?? '';
    const max = maxKeys(request, 'max-uploads');
    const listed: UploadListing =
      max === 0
        ? { uploads: [], prefixes: [], next: null }
        : await service.blobs.listUploads(storage, {
            kind: 's3',
            limit: max,
            ...(prefix !== '' && { prefix }),
            ...(delimiter !== '' && { delimiter }),
            ...(keyMarker !== '' && { after: { key: keyMarker, ...(idMarker !== '' && { id: idMarker }) } }),
          });
    const { uploads, prefixes, next } = listed;
    const owner = ownerXml(grant.accountId);
    const body = xmlDocument('ListMultipartUploadsResult', {
      Bucket: bucket.name,
      KeyMarker: encode(keyMarker),
      UploadIdMarker: idMarker,
      NextKeyMarker: next ? encode(next.key) : undefined,
      NextUploadIdMarker: next ? (next.id ?? '') : undefined,
      Prefix: encode(prefix),
      Delimiter: delimiter === '' ? undefined : encode(delimiter),
      EncodingType: type,
      MaxUploads: max,
      IsTruncated: next !== null,
      Upload: uploads.map((upload) => ({
        Key: encode(upload.key),
        UploadId: upload.id,
        Initiator: owner,
        Owner: owner,
        StorageClass: 'STANDARD',
        Initiated: new Date(upload.createdAt).toISOString(),
        ...checksumElements(uploadChecksum(upload)),
      })),
      CommonPrefixes: prefixes.map((one) => ({ Prefix: encode(one) })),
    });
    return { status: 200, body };
  },
};
