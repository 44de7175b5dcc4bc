import type { Command } from '../command.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketCors.html */
export const deleteBucketCors: Command = {
  name: 'DeleteBucketCors',
  method: 'DELETE',
  target: 'bucket',
  requiredQuery: ['cors'],
  access: 'write',
  async run({ service, bucket }) {
    await service.blobs.changeBucketSettings(bucket, { cors: undefined });
    return { status: 204 };
  },
};
