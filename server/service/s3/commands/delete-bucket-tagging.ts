import type { Command } from '../command.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketTagging.html */
export const deleteBucketTagging: Command = {
  name: 'DeleteBucketTagging',
  method: 'DELETE',
  target: 'bucket',
  requiredQuery: ['tagging'],
  access: 'write',
  async run({ service, bucket }) {
    await service.blobs.changeBucketSettings(bucket, { tags: undefined });
    return { status: 204 };
  },
};
