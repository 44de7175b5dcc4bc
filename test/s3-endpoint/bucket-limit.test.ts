import { CreateBucketCommand, DeleteBucketCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAX_BUCKETS } from '../../server/service/storage/files/buckets.js';
import { TestEndpoint } from './start-endpoint.js';

let endpoint: TestEndpoint;
beforeAll(async () => void (endpoint = await TestEndpoint.start()));
afterAll(() => endpoint.stop());

it('an account can have a limited number of buckets', async () => {
  const { blobs } = endpoint.service.core;
  await Promise.all(Array.from({ length: MAX_BUCKETS }, (_, index) => blobs.createBucket('main', `bucket-${index}`)));
  const s3 = endpoint.client();
  const create = (Bucket: string) => s3.send(new CreateBucketCommand({ Bucket }));
  await expect(create('one-more')).rejects.toMatchObject({ name: 'TooManyBuckets', $metadata: { httpStatusCode: 400 } });
  // In us-east-1, creating an own bucket again succeeds.
  await create('bucket-1');
  await s3.send(new DeleteBucketCommand({ Bucket: 'bucket-1' }));
  await create('one-more');
});
