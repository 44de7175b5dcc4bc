import type { Command } from '../service.js';
import { readSmall } from '../messages/body-checks.js';
import { BUCKET_TAGS, tagsFromXml } from '../messages/tags.js';

const MAX_BODY = 64 * 1024;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketTagging.html */
export const putBucketTagging: Command = {
  name: 'PutBucketTagging',
  method: 'PUT',
  on: 'bucket',
  query: ['tagging'],
  access: 'write',
  async run({ service, request, bucket, payload }) {
    const tags = tagsFromXml(await readSmall(request, payload(), MAX_BODY), BUCKET_TAGS);
    await service.blobs.changeBucketSettings(bucket, { tags });
    return { status: 204 };
  },
};
