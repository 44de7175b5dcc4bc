import { aclXml, bucketAcl } from '../access/acl.js';
import type { Command } from '../command.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketAcl.html */
export const getBucketAcl: Command = {
  name: 'GetBucketAcl',
  method: 'GET',
  target: 'bucket',
  requiredQuery: ['acl'],
  access: 'read',
  run: ({ bucket }) => Promise.resolve({ status: 200, body: aclXml(bucket.accountId, bucketAcl(bucket)) }),
};
