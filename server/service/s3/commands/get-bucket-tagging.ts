import { S3Error } from '../errors.js';
import type { Command } from '../service.js';
import { bucketTags, tagsXml } from '../messages/tags.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketTagging.html */
export const getBucketTagging: Command = {
  name: 'GetBucketTagging',
  method: 'GET',
  on: 'bucket',
  query: ['tagging'],
  access: 'read',
  async run({ bucket }) {
    const tags = bucketTags(bucket);
    if (!tags) throw new S3Error('NoSuchTagSet', undefined, { fields: { BucketName: bucket.name } });
    return { status: 200, body: tagsXml(tags) };
  },
};
