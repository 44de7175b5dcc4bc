import type { Command } from '../service.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html */
export const headBucket: Command = {
  name: 'HeadBucket',
  method: 'HEAD',
  on: 'bucket',
  access: 'read',
  anyone: true,
  reach: 'any',
  run: ({ service }) => Promise.resolve({ status: 200, headers: { 'x-amz-bucket-region': service.region } }),
};
