import type { S3Grant } from '../../identity/s3-credentials.js';
import type { Bucket, StoredFile } from '../../storage/blob-storage.js';
import { bucketAcl } from './acl.js';
import { S3ServiceError } from '../errors.js';
import type { Command } from '../command.js';
import type { S3Service } from '../service.js';
import type { S3Request } from '../messages/request.js';

/** Returns whether a request contains no part of a signature. */
export const isUnsigned = (request: S3Request): boolean =>
  request.headers.get('authorization') === undefined &&
  !request.query.pairs.some(([name]) => /^(X-Amz-(Algorithm|Signature|Credential)|Signature|AWSAccessKeyId)$/.test(name));

const ANONYMOUS_ID = 'anonymous';

/**
 * Checks the object that was opened. A private object may have replaced the public one that `authorizeAnonymous` saw.
 * @throws S3ServiceError `AccessDenied`
 */
export function rejectPrivateObject({ id }: S3Grant, file: StoredFile): void {
  if (id === ANONYMOUS_ID && file.visibility !== 'public') throw new S3ServiceError('AccessDenied');
}

/**
 * Allows anonymous clients to read public objects and to list public buckets.
 * @returns the permissions of an anonymous client.
 * @throws S3ServiceError `AccessDenied`
 */
export async function authorizeAnonymous(
  service: S3Service,
  request: S3Request,
  command: Command,
  bucket: Bucket,
  key: string | undefined,
): Promise<S3Grant> {
  const grant: S3Grant = {
    id: ANONYMOUS_ID,
    accountId: bucket.accountId,
    readOnly: true,
    mayRead: true,
    prefix: null,
    expiresAt: null,
    allowedIps: [],
  };
  if (!command.allowsAnonymous) throw new S3ServiceError('AccessDenied');
  const isPublicBucket = bucketAcl(bucket) === 'public-read';
  if (key === undefined) {
    if (!isPublicBucket) throw new S3ServiceError('AccessDenied');
    return grant;
  }
  if (request.query.pairs.some(([name]) => name.startsWith('response-')))
    throw new S3ServiceError('InvalidRequest', 'Request specific response headers cannot be used for anonymous GET requests.');
  const file = await service.blobs.get({ accountId: bucket.accountId, bucketId: bucket.id }, key);
  // "Not found" would reveal which keys exist, so only clients that may list the bucket get it.
  const isAllowed = file ? file.visibility === 'public' : isPublicBucket;
  if (!isAllowed) throw new S3ServiceError('AccessDenied');
  return grant;
}
