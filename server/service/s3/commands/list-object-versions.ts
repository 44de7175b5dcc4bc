import type { Command } from '../service.js';
import { listKeys } from '../messages/list-keys.js';
import { entryXml, keyEncoding, ownerXml } from '../messages/listing.js';
import { xmlDocument } from '../xml/write.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html As a bucket answers that never had versions. */
export const listObjectVersions: Command = {
  name: 'ListObjectVersions',
  method: 'GET',
  on: 'bucket',
  query: ['versions'],
  access: 'read',
  reach: 'list',
  async run(call) {
    const { request, bucket, grant } = call;
    const { type, encode } = keyEncoding(request);
    const marker = request.query.get('key-marker') ?? '';
    const { prefix, delimiter, max, files, prefixes, next } = await listKeys(call, 'max-keys', marker);
    const body = xmlDocument('ListVersionsResult', {
      Name: bucket.name,
      Prefix: encode(prefix),
      KeyMarker: encode(marker),
      VersionIdMarker: request.query.get('version-id-marker') ?? '',
      NextKeyMarker: next === null ? undefined : encode(next),
      NextVersionIdMarker: next === null ? undefined : 'null',
      MaxKeys: max,
      Delimiter: delimiter === '' ? undefined : encode(delimiter),
      EncodingType: type,
      IsTruncated: next !== null,
      Version: files.map((file) => ({
        ...entryXml(file, encode),
        VersionId: 'null',
        IsLatest: true,
        Owner: ownerXml(grant.accountId),
      })),
      CommonPrefixes: prefixes.map((one) => ({ Prefix: encode(one) })),
    });
    return { status: 200, body };
  },
};
