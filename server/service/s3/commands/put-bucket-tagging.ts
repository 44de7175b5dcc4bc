import type { Command } from '../command.js';
import { readSmallBody } from '../body/read-small-body.js';
import { MAX_BUCKET_TAGS, tagsFromXml } from '../messages/tags.js';

const MAX_BODY = 64 * 1024;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketTagging.html */
export const putBucketTagging: Command = {
  name: 'PutBucketTagging',
  method: 'PUT',
  target: 'bucket',
  requiredQuery: ['tagging'],
  access: 'write',
  async run({ service, request, bucket, payload }) {
    const tags = tagsFromXml(await readSmallBody(request, payload(), MAX_BODY), MAX_BUCKET_TAGS);
    await service.blobs.changeBucketSettings(bucket, { tags });
    return { status: 204 };
  },
};
