import type { Command } from '../command.js';
import { listKeys } from '../messages/list-keys.js';
import { objectXml, keyEncoding, ownerXml } from '../messages/listing.js';
import { xmlDocument } from '../xml/write-xml.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjects.html */
export const listObjects: Command = {
  name: 'ListObjects',
  method: 'GET',
  target: 'bucket',
  access: 'read',
  allowsAnonymous: true,
  prefixLimited: 'check-listed-prefix',
  async run(context) {
    const { request, bucket, grant } = context;
    const { type, encode } = keyEncoding(request);
    const marker = request.query.get('marker') ?? '';
    const { prefix, delimiter, max, files, prefixes, next } = await listKeys(context, 'max-keys', marker);
    const body = xmlDocument('ListBucketResult', {
      Name: bucket.name,
      // Clients decode the keys of this listing but not its prefix.
      Prefix: prefix,
      Marker: encode(marker),
      // S3 returns NextMarker only with a delimiter. Otherwise clients use the last key.
      NextMarker: next !== null && delimiter !== '' ? encode(next) : undefined,
      MaxKeys: max,
      Delimiter: delimiter === '' ? undefined : encode(delimiter),
      EncodingType: type,
      IsTruncated: next !== null,
      Contents: files.map((file) => ({ ...objectXml(file, encode), Owner: ownerXml(grant.accountId) })),
      CommonPrefixes: prefixes.map((name) => ({ Prefix: encode(name) })),
    });
    return { status: 200, body };
  },
};
