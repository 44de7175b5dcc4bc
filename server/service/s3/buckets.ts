import type { Bucket } from '../storage/blobs.js';
import { S3Error } from './errors.js';
import type { S3Service } from './service.js';
import { isBucketName } from './messages/address.js';

/** @throws S3Error `InvalidBucketName`, `NoSuchBucket`. */
export async function requireBucket(service: S3Service, name: string): Promise<Bucket> {
  const missing = (code: 'NoSuchBucket' | 'InvalidBucketName') => new S3Error(code, undefined, { fields: { BucketName: name } });
  const bucket = await service.blobs.findBucket(name);
  if (bucket) return bucket;
  throw missing(isBucketName(name) ? 'NoSuchBucket' : 'InvalidBucketName');
}
