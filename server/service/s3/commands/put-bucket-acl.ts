import { readRequestedAcl } from '../access/acl.js';
import type { Command } from '../command.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketAcl.html */
export const putBucketAcl: Command = {
  name: 'PutBucketAcl',
  method: 'PUT',
  target: 'bucket',
  requiredQuery: ['acl'],
  access: 'write',
  alsoReadsData: true,
  async run(context) {
    const { service, bucket } = context;
    await service.blobs.changeBucketSettings(bucket, { acl: await readRequestedAcl(context) });
    return { status: 200 };
  },
};
