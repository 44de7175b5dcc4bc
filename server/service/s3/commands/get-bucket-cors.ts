import { corsRules, rulesXml } from '../cors/cors-rules.js';
import { S3Error } from '../errors.js';
import type { Command } from '../service.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketCors.html */
export const getBucketCors: Command = {
  name: 'GetBucketCors',
  method: 'GET',
  on: 'bucket',
  query: ['cors'],
  access: 'read',
  async run({ bucket }) {
    const rules = corsRules(bucket);
    if (rules.length === 0) throw new S3Error('NoSuchCORSConfiguration', undefined, { fields: { BucketName: bucket.name } });
    return { status: 200, body: rulesXml(rules) };
  },
};
