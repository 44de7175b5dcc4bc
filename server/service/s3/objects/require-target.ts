import type { Bucket, StoredFile } from '../../storage/blob-storage.js';
import type { ObjectContext } from '../command.js';
import { S3ServiceError } from '../errors.js';
import { isBucketName } from '../messages/address.js';
import type { S3Service } from '../service.js';

/** Finds a bucket by its name. @throws S3ServiceError `InvalidBucketName`, `NoSuchBucket`. */
export async function requireBucket(service: S3Service, name: string): Promise<Bucket> {
  const bucket = await service.blobs.findBucket(name);
  if (bucket) return bucket;
  const code = isBucketName(name) ? 'NoSuchBucket' : 'InvalidBucketName';
  throw new S3ServiceError(code, undefined, { fields: { BucketName: name } });
}

/** Finds the record of the object that a request addresses. @throws S3ServiceError `NoSuchKey`. */
export async function requireObject({ service, storage, key }: ObjectContext): Promise<StoredFile> {
  const file = await service.blobs.get(storage, key);
  if (!file) throw noSuchKey(key);
  return file;
}

export const noSuchKey = (key: string): S3ServiceError => new S3ServiceError('NoSuchKey', undefined, { fields: { Key: key } });
