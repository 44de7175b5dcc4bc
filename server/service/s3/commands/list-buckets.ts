import type { Command } from '../service.js';
import { ownerXml } from '../wire/listing.js';
import { xmlDocument } from '../xml/write.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListBuckets.html */
export const listBuckets: Command = {
  name: 'ListBuckets',
  method: 'GET',
  on: 'service',
  access: 'read',
  reach: 'any',
  async run({ service, grant }) {
    const buckets = await service.blobs.listBuckets(grant.accountId);
    const seen = grant.prefix === null ? buckets : buckets.filter((bucket) => bucket.isMain);
    const body = xmlDocument('ListAllMyBucketsResult', {
      Owner: ownerXml(grant.accountId),
      Buckets: { Bucket: seen.map(({ name, createdAt }) => ({ Name: name, CreationDate: new Date(createdAt).toISOString() })) },
    });
    return { status: 200, body };
  },
};
