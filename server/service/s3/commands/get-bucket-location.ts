import type { Command } from '../command.js';
import { xmlDocument } from '../xml/write-xml.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketLocation.html S3 writes us-east-1 as an empty element. */
export const getBucketLocation: Command = {
  name: 'GetBucketLocation',
  method: 'GET',
  target: 'bucket',
  requiredQuery: ['location'],
  access: 'read',
  prefixLimited: 'allow',
  run: ({ service }) =>
    Promise.resolve({
      status: 200,
      body: xmlDocument('LocationConstraint', service.region === 'us-east-1' ? '' : service.region),
    }),
};
