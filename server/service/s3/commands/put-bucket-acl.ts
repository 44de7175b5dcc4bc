import { requestedAcl } from '../access/acl.js';
import type { Command } from '../service.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketAcl.html */
export const putBucketAcl: Command = {
  name: 'PutBucketAcl',
  method: 'PUT',
  on: 'bucket',
  query: ['acl'],
  access: 'write',
  alsoReads: true,
  async run(call) {
    const { service, bucket } = call;
    await service.blobs.changeBucketSettings(bucket, { acl: await requestedAcl(call) });
    return { status: 200 };
  },
};
