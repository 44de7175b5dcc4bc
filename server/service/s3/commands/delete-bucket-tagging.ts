import type { Command } from '../service.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketTagging.html */
export const deleteBucketTagging: Command = {
  name: 'DeleteBucketTagging',
  method: 'DELETE',
  on: 'bucket',
  query: ['tagging'],
  access: 'write',
  async run({ service, bucket }) {
    await service.blobs.changeBucketSettings(bucket, { tags: undefined });
    return { status: 204 };
  },
};
