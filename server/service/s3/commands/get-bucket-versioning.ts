import type { Command } from '../command.js';
import { xmlDocument } from '../xml/write-xml.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketVersioning.html An empty element means that versioning was never enabled. */
export const getBucketVersioning: Command = {
  name: 'GetBucketVersioning',
  method: 'GET',
  target: 'bucket',
  requiredQuery: ['versioning'],
  access: 'read',
  prefixLimited: 'allow',
  run: () => Promise.resolve({ status: 200, body: xmlDocument('VersioningConfiguration', '') }),
};
