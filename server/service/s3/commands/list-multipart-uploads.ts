import type { Upload } from '../../blobs.js';
import type { BucketCall, Command } from '../service.js';
import { checksumElements, uploadChecksum } from '../uploads.js';
import { keyEncoding, maxKeys, ownerXml } from '../wire/listing.js';
import { xmlDocument } from '../xml/write.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListMultipartUploads.html */
export const listMultipartUploads: Command = {
  name: 'ListMultipartUploads',
  method: 'GET',
  on: 'bucket',
  query: ['uploads'],
  access: 'read',
  reach: 'list',
  async run(call) {
    const { request, bucket, grant } = call;
    const { type, encode } = keyEncoding(request);
    const keyMarker = request.query.get('key-marker') ?? '';
    const idMarker = keyMarker === '' ? '' : (request.query.get('upload-id-marker') ?? '');
    const prefix = request.query.get('prefix') ?? '';
    const delimiter = request.query.get('delimiter') ?? '';
    const max = maxKeys(request, 'max-uploads');
    const { uploads, prefixes, truncated, last } = await page(call, { prefix, delimiter, max, keyMarker, idMarker });
    const owner = ownerXml(grant.accountId);
    const body = xmlDocument('ListMultipartUploadsResult', {
      Bucket: bucket.name,
      KeyMarker: encode(keyMarker),
      UploadIdMarker: idMarker,
      NextKeyMarker: truncated ? encode(last.key) : undefined,
      NextUploadIdMarker: truncated ? last.id : undefined,
      Prefix: encode(prefix),
      Delimiter: delimiter === '' ? undefined : encode(delimiter),
      EncodingType: type,
      MaxUploads: max,
      IsTruncated: truncated,
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

interface PageOptions {
  prefix: string;
  delimiter: string;
  max: number;
  keyMarker: string;
  idMarker: string;
}

/** Running uploads are few, so prefixes are rolled up here, over as many reads as a page needs. */
async function page({ service, storage }: BucketCall, { prefix, delimiter, max, keyMarker, idMarker }: PageOptions) {
  const uploads: Upload[] = [];
  const prefixes: string[] = [];
  if (max === 0) return { uploads, prefixes, truncated: false, last: { key: '', id: '' } };
  let last = { key: keyMarker, id: idMarker };
  let after: { key: string; id?: string } | undefined =
    keyMarker === '' ? undefined : { key: keyMarker, ...(idMarker !== '' && { id: idMarker }) };
  const limit = max + 1;
  for (;;) {
    const found: Upload[] = await service.blobs.listUploads(storage, {
      kind: 's3',
      limit,
      ...(prefix !== '' && { prefix }),
      ...(after && { after }),
    });
    for (const upload of found) {
      const end = delimiter === '' ? -1 : upload.key.indexOf(delimiter, prefix.length);
      const common = end === -1 ? undefined : upload.key.slice(0, end + delimiter.length);
      if (common !== undefined && (common === prefixes.at(-1) || common === keyMarker)) continue;
      if (uploads.length + prefixes.length === max) return { uploads, prefixes, truncated: true, last };
      if (common === undefined) {
        uploads.push(upload);
        last = { key: upload.key, id: upload.id };
      } else {
        prefixes.push(common);
        last = { key: common, id: '' };
      }
    }
    const end = found.at(-1);
    if (!end || found.length < limit) return { uploads, prefixes, truncated: false, last };
    after = { key: end.key, id: end.id };
  }
}
