import type { Command } from '../service.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketTagging.html */
export const deleteBucketTagging: Command = {
  name: 'DeleteBucketTagging',
  method: 'DELETE',
  on: 'bucket',
  query: ['tagging'],
  access: 'write',
  async run({ service, bucket }) {
    const { tags: _, ...settings } = bucket.settings;
    await service.blobs.saveBucketSettings(bucket, settings);
    return { status: 204 };
  },
};
