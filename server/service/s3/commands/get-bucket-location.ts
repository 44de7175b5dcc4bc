import type { Command } from '../service.js';
import { xmlDocument } from '../xml/write.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketLocation.html us-east-1 is written as nothing. */
export const getBucketLocation: Command = {
  name: 'GetBucketLocation',
  method: 'GET',
  on: 'bucket',
  query: ['location'],
  access: 'read',
  reach: 'any',
  run: ({ service }) =>
    Promise.resolve({
      status: 200,
      body: xmlDocument('LocationConstraint', service.region === 'us-east-1' ? '' : service.region),
    }),
};
