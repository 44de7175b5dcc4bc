import { S3ServiceError } from '../errors.js';
import type { Command } from '../command.js';
import { bucketTags, tagsXml } from '../messages/tags.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketTagging.html */
export const getBucketTagging: Command = {
  name: 'GetBucketTagging',
  method: 'GET',
  target: 'bucket',
  requiredQuery: ['tagging'],
  access: 'read',
  async run({ bucket }) {
    const tags = bucketTags(bucket);
    if (!tags) throw new S3ServiceError('NoSuchTagSet', undefined, { fields: { BucketName: bucket.name } });
    return { status: 200, body: tagsXml(tags) };
  },
};
