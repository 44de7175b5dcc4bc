import { invalidArgument } from '../errors.js';
import type { Command } from '../command.js';
import { listKeys } from '../messages/list-keys.js';
import { objectXml, keyEncoding, ownerXml } from '../messages/listing.js';
import { xmlDocument } from '../xml/write-xml.js';

/** Encodes the last key of a page. The token therefore works on every replica and never expires. */
const toContinuationToken = (key: string) => Buffer.from(key).toString('base64url');

function fromContinuationToken(token: string): string {
  const key = Buffer.from(token, 'base64url').toString('utf8');
  if (toContinuationToken(key) !== token || key.includes('\0'))
    throw invalidArgument('continuation-token', token, 'The continuation token provided is incorrect');
  return key;
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html */
export const listObjectsV2: Command = {
  name: 'ListObjectsV2',
  method: 'GET',
  target: 'bucket',
  requiredQuery: ['list-type'],
  access: 'read',
  allowsAnonymous: true,
  prefixLimited: 'check-listed-prefix',
  async run(context) {
    const { request, bucket, grant } = context;
    const version = request.query.get('list-type');
    if (version !== '2') throw invalidArgument('list-type', version ?? '', 'Invalid List Type specified in Request');
    const { type, encode } = keyEncoding(request);
    const token = request.query.get('continuation-token');
    const startAfter = request.query.get('start-after');
    const owner = request.query.get('fetch-owner') === 'true' ? { Owner: ownerXml(grant.accountId) } : {};
    const { prefix, delimiter, max, files, prefixes, next } = await listKeys(
      context,
      'max-keys',
      token === undefined ? (startAfter ?? '') : fromContinuationToken(token),
    );
    const body = xmlDocument('ListBucketResult', {
      Name: bucket.name,
      Prefix: encode(prefix),
      StartAfter: startAfter === undefined ? undefined : encode(startAfter),
      ContinuationToken: token,
      NextContinuationToken: next === null ? undefined : toContinuationToken(next),
      KeyCount: files.length + prefixes.length,
      MaxKeys: max,
      Delimiter: delimiter === '' ? undefined : encode(delimiter),
      EncodingType: type,
      IsTruncated: next !== null,
      Contents: files.map((file) => ({ ...objectXml(file, encode), ...owner })),
      CommonPrefixes: prefixes.map((name) => ({ Prefix: encode(name) })),
    });
    return { status: 200, body };
  },
};
