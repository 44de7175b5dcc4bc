import { invalidArgument } from '../errors.js';
import type { Command } from '../command.js';
import { ownerXml } from '../messages/listing.js';
import { xmlDocument } from '../xml/write-xml.js';

const MAX_BUCKETS = 10_000;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListBuckets.html */
export const listBuckets: Command = {
  name: 'ListBuckets',
  method: 'GET',
  target: 'service',
  access: 'read',
  prefixLimited: 'allow',
  async run({ service, request, grant }) {
    const max = request.query.get('max-buckets') ?? String(MAX_BUCKETS);
    if (!/^\d{1,5}$/.test(max) || Number(max) < 1 || Number(max) > MAX_BUCKETS)
      throw invalidArgument('max-buckets', max, `Argument max-buckets must be an integer between 1 and ${MAX_BUCKETS}`);
    const prefix = request.query.get('prefix') ?? '';
    const after = Buffer.from(request.query.get('continuation-token') ?? '', 'base64url').toString('utf8');
    const buckets = (await service.blobs.listBuckets(grant.accountId)).filter(
      ({ name, isMain }) => name.startsWith(prefix) && name > after && (grant.prefix === null || isMain),
    );
    const page = buckets.slice(0, Number(max));
    const body = xmlDocument('ListAllMyBucketsResult', {
      Owner: ownerXml(grant.accountId),
      Buckets: { Bucket: page.map(({ name, createdAt }) => ({ Name: name, CreationDate: new Date(createdAt).toISOString() })) },
      ContinuationToken: buckets.length > page.length ? Buffer.from(page.at(-1)!.name).toString('base64url') : undefined,
      Prefix: prefix === '' ? undefined : prefix,
    });
    return { status: 200, body };
  },
};
