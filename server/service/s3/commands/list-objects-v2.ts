import { invalidArgument } from '../errors.js';
import type { Command } from '../service.js';
import { listKeys } from '../messages/list-keys.js';
import { entryXml, keyEncoding, ownerXml } from '../messages/listing.js';
import { xmlDocument } from '../xml/write.js';

/** A continuation token is the key to go on after, so it is good on every replica and for ever. */
const toToken = (key: string) => Buffer.from(key).toString('base64url');

function fromToken(token: string): string {
  const key = Buffer.from(token, 'base64url').toString('utf8');
  if (toToken(key) !== token || key.includes('\0'))
    throw invalidArgument('continuation-token', token, 'The continuation token provided is incorrect');
  return key;
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html */
export const listObjectsV2: Command = {
  name: 'ListObjectsV2',
  method: 'GET',
  on: 'bucket',
  query: ['list-type'],
  access: 'read',
  anyone: true,
  reach: 'list',
  async run(call) {
    const { request, bucket, grant } = call;
    const version = request.query.get('list-type');
    if (version !== '2') throw invalidArgument('list-type', version ?? '', 'Invalid List Type specified in Request');
    const { type, encode } = keyEncoding(request);
    const token = request.query.get('continuation-token');
    const startAfter = request.query.get('start-after');
    const owner = request.query.get('fetch-owner') === 'true' ? { Owner: ownerXml(grant.accountId) } : {};
    const { prefix, delimiter, max, files, prefixes, next } = await listKeys(
      call,
      'max-keys',
      token === undefined ? (startAfter ?? '') : fromToken(token),
    );
    const body = xmlDocument('ListBucketResult', {
      Name: bucket.name,
      Prefix: encode(prefix),
      StartAfter: startAfter === undefined ? undefined : encode(startAfter),
      ContinuationToken: token,
      NextContinuationToken: next === null ? undefined : toToken(next),
      KeyCount: files.length + prefixes.length,
      MaxKeys: max,
      Delimiter: delimiter === '' ? undefined : encode(delimiter),
      EncodingType: type,
      IsTruncated: next !== null,
      Contents: files.map((file) => ({ ...entryXml(file, encode), ...owner })),
      CommonPrefixes: prefixes.map((one) => ({ Prefix: encode(one) })),
    });
    return { status: 200, body };
  },
};
