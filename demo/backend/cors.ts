import { GetBucketCorsCommand, PutBucketCorsCommand, S3Client } from '@aws-sdk/client-s3';
import type { CORSRule } from '@aws-sdk/client-s3';

const RULE_ID = 'svc-uploader-demo';

export interface AllowOriginsOptions {
  endpoint: string;
  region: string;
  bucket: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
  origins: string[];
}

/** The methods that the bulk engine uses in a page, and the response headers that it reads. */
const corsRuleFor = (origins: string[]): CORSRule => ({
  ID: RULE_ID,
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

/** Allows pages of these origins to use a bucket. Other CORS rules of the bucket stay. */
export async function allowOriginsInBucket(options: AllowOriginsOptions): Promise<void> {
  const { endpoint, region, bucket: Bucket, credentials, origins } = options;
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  try {
    const { CORSRules: existing = [] } = await client.send(new GetBucketCorsCommand({ Bucket })).catch((error: Error) => {
      if (error.name === 'NoSuchCORSConfiguration') return { CORSRules: [] };
      throw error;
    });
    const CORSRules = [corsRuleFor(origins), ...existing.filter(({ ID }) => ID !== RULE_ID)];
    await client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules } }));
  } finally {
    client.destroy();
  }
}
