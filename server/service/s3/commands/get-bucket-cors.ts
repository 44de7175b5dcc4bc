import { corsRules, corsRulesXml } from '../cors/cors-rules.js';
import { S3ServiceError } from '../errors.js';
import type { Command } from '../command.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketCors.html */
export const getBucketCors: Command = {
  name: 'GetBucketCors',
  method: 'GET',
  target: 'bucket',
  requiredQuery: ['cors'],
  access: 'read',
  async run({ bucket }) {
    const rules = corsRules(bucket);
    if (rules.length === 0)
      throw new S3ServiceError('NoSuchCORSConfiguration', undefined, { fields: { BucketName: bucket.name } });
    return { status: 200, body: corsRulesXml(rules) };
  },
};
