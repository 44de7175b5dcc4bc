import { parseRules } from '../cors/cors-rules.js';
import type { Command } from '../service.js';
import { readSmall } from '../messages/body-checks.js';

const MAX_BODY = 64 * 1024;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketCors.html */
export const putBucketCors: Command = {
  name: 'PutBucketCors',
  method: 'PUT',
  on: 'bucket',
  query: ['cors'],
  access: 'write',
  async run({ service, request, bucket, payload }) {
    const cors = parseRules(await readSmall(request, payload(), MAX_BODY));
    await service.blobs.changeBucketSettings(bucket, { cors });
    return { status: 200 };
  },
};
