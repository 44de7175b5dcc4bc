import type { Command } from '../service.js';
import { xmlDocument } from '../xml/write.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketVersioning.html Without a Status: never versioned. */
export const getBucketVersioning: Command = {
  name: 'GetBucketVersioning',
  method: 'GET',
  on: 'bucket',
  query: ['versioning'],
  access: 'read',
  reach: 'any',
  run: () => Promise.resolve({ status: 200, body: xmlDocument('VersioningConfiguration', '') }),
};
