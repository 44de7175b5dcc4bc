import type { Command } from '../command.js';
import { listKeys } from '../messages/list-keys.js';
import { objectXml, keyEncoding, ownerXml } from '../messages/listing.js';
import { xmlDocument } from '../xml/write-xml.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html Every object has the version `null`, as in a bucket that never had versioning. */
export const listObjectVersions: Command = {
  name: 'ListObjectVersions',
  method: 'GET',
  target: 'bucket',
  requiredQuery: ['versions'],
  access: 'read',
  prefixLimited: 'check-listed-prefix',
  async run(context) {
    const { request, bucket, grant } = context;
    const { type, encode } = keyEncoding(request);
    const marker = request.query.get('key-marker') ?? '';
    const { prefix, delimiter, max, files, prefixes, next } = await listKeys(context, 'max-keys', marker);
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
        ...objectXml(file, encode),
        VersionId: 'null',
        IsLatest: true,
        Owner: ownerXml(grant.accountId),
      })),
      CommonPrefixes: prefixes.map((name) => ({ Prefix: encode(name) })),
    });
    return { status: 200, body };
  },
};
