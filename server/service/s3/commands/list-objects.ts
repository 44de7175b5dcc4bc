import type { Command } from '../service.js';
import { listKeys } from '../messages/list-keys.js';
import { entryXml, keyEncoding, ownerXml } from '../messages/listing.js';
import { xmlDocument } from '../xml/write.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjects.html */
export const listObjects: Command = {
  name: 'ListObjects',
  method: 'GET',
  on: 'bucket',
  access: 'read',
  anyone: true,
  reach: 'list',
  async run(call) {
    const { request, bucket, grant } = call;
    const { type, encode } = keyEncoding(request);
    const marker = request.query.get('marker') ?? '';
    const { prefix, delimiter, max, files, prefixes, next } = await listKeys(call, 'max-keys', marker);
    const body = xmlDocument('ListBucketResult', {
      Name: bucket.name,
      // Clients decode every key of this listing but the prefix they gave themselves.
      Prefix: prefix,
      Marker: encode(marker),
      // S3 names the marker of the next page only where the client cannot know it: when prefixes were rolled up.
      NextMarker: next !== null && delimiter !== '' ? encode(next) : undefined,
      MaxKeys: max,
      Delimiter: delimiter === '' ? undefined : encode(delimiter),
      EncodingType: type,
      IsTruncated: next !== null,
      Contents: files.map((file) => ({ ...entryXml(file, encode), Owner: ownerXml(grant.accountId) })),
      CommonPrefixes: prefixes.map((one) => ({ Prefix: encode(one) })),
    });
    return { status: 200, body };
  },
};
