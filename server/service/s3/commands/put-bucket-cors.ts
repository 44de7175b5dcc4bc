import { parseCorsRules } from '../cors/cors-rules.js';
import type { Command } from '../command.js';
import { readSmallBody } from '../body/read-small-body.js';

const MAX_BODY = 64 * 1024;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketCors.html */
export const putBucketCors: Command = {
  name: 'PutBucketCors',
  method: 'PUT',
  target: 'bucket',
  requiredQuery: ['cors'],
  access: 'write',
  async run({ service, request, bucket, payload }) {
    const cors = parseCorsRules(await readSmallBody(request, payload(), MAX_BODY));
    await service.blobs.changeBucketSettings(bucket, { cors });
    return { status: 200 };
  },
};
