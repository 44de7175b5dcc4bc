import { GetBucketCorsCommand, PutBucketCorsCommand, S3Client } from '@aws-sdk/client-s3';
import type { CORSRule } from '@aws-sdk/client-s3';
import type { KeyPair } from './temporary-keys.js';

const RULE = 'svc-uploader-demo';

export interface AllowOptions {
  endpoint: string;
  region: string;
  bucket: string;
  pair: KeyPair;
  origins: string[];
}

/** What the bulk engine asks of a bucket from a page, and the headers of answers that it reads. */
const ruleFor = (origins: string[]): CORSRule => ({
  ID: RULE,
  AllowedOrigins: origins,
  AllowedMethods: ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'],
  AllowedHeaders: ['*'],
  ExposeHeaders: [
    'Date',
    'ETag',
    'Retry-After',
    'x-amz-bucket-region',
    'x-amz-checksum-crc32',
    'x-amz-checksum-type',
    'x-amz-meta-mtime',
    'x-amz-meta-svc-part-size',
    'x-amz-request-id',
  ],
  MaxAgeSeconds: 3600,
});

/** Lets pages of these origins ask a bucket, beside whatever its rules allow already. */
export async function allowOrigins({ endpoint, region, bucket: Bucket, pair, origins }: AllowOptions): Promise<void> {
  const credentials = { accessKeyId: pair.access_key_id, secretAccessKey: pair.secret_access_key };
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  try {
    const { CORSRules: others = [] } = await client.send(new GetBucketCorsCommand({ Bucket })).catch((error: Error) => {
      if (error.name === 'NoSuchCORSConfiguration') return { CORSRules: [] };
      throw error;
    });
    const CORSRules = [ruleFor(origins), ...others.filter(({ ID }) => ID !== RULE)];
    await client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules } }));
  } finally {
    client.destroy();
  }
}
