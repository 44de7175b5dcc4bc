// Creates the bucket of compose.yaml once the store accepts requests. A bucket that exists stays as it is.
import { setTimeout } from 'node:timers/promises';
import { CreateBucketCommand, HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';

const client = new S3Client({ endpoint: 'http://store:8333', region: 'us-east-1', forcePathStyle: true });
const bucket = { Bucket: 'blobs' };
const TRIES = 60;

for (let tries = 1; ; tries++) {
  try {
    await client.send(new HeadBucketCommand(bucket)).catch(() => client.send(new CreateBucketCommand(bucket)));
    break;
  } catch (error) {
    if (tries === TRIES) throw error;
    await setTimeout(1000);
  }
}
