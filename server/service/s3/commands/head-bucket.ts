import type { Command } from '../command.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html */
export const headBucket: Command = {
  name: 'HeadBucket',
  method: 'HEAD',
  target: 'bucket',
  access: 'read',
  allowsAnonymous: true,
  prefixLimited: 'allow',
  run: ({ service }) => Promise.resolve({ status: 200, headers: { 'x-amz-bucket-region': service.region } }),
};
