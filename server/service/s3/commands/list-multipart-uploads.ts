import type { UploadListing } from '../../storage/blob-storage.js';
import type { Command } from '../command.js';
import { checksumElements, uploadChecksum } from '../multipart/uploads.js';
import { keyEncoding, maxKeys, ownerXml } from '../messages/listing.js';
import { xmlDocument } from '../xml/write-xml.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListMultipartUploads.html */
export const listMultipartUploads: Command = {
  name: 'ListMultipartUploads',
  method: 'GET',
  target: 'bucket',
  requiredQuery: ['uploads'],
  access: 'read',
  prefixLimited: 'check-listed-prefix',
  async run({ request, service, storage, bucket, grant }) {
    const { type, encode } = keyEncoding(request);
    const keyMarker = request.query.get('key-marker') ?? '';
    const idMarker = keyMarker === '' ? '' : (request.query.get('upload-id-marker') ?? '');
    const prefix = request.query.get('prefix') ?? '';
    const delimiter = request.query.get('delimiter') ?? '';
    const max = maxKeys(request, 'max-uploads');
    const { uploads, prefixes, next }: UploadListing =
      max === 0
        ? { uploads: [], prefixes: [], next: null }
        : await service.blobs.listUploads(storage, {
            kind: 's3',
            limit: max,
            ...(prefix !== '' && { prefix }),
            ...(delimiter !== '' && { delimiter }),
            ...(keyMarker !== '' && { after: { key: keyMarker, ...(idMarker !== '' && { id: idMarker }) } }),
          });
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
      CommonPrefixes: prefixes.map((name) => ({ Prefix: encode(name) })),
    });
    return { status: 200, body };
  },
};
