import type { S3Grant } from '../../identity/s3-credentials.js';
import type { Bucket, StoredFile } from '../../storage/blobs.js';
import { bucketAcl } from './acl.js';
import { S3Error } from '../errors.js';
import type { Command, S3Service } from '../service.js';
import type { S3Request } from '../messages/request.js';

/** Whether nothing in a request claims to be a signature. */
export const isUnsigned = (request: S3Request): boolean =>
  request.headers.get('authorization') === undefined &&
  !request.query.pairs.some(([name]) => /^(X-Amz-(Algorithm|Signature|Credential)|Signature|AWSAccessKeyId)$/.test(name));

const ANYONE = 'anonymous';

/** Judged again on the object that is read: a private one may have taken the place of the public one. @throws S3Error `AccessDenied` */
export function refusePrivate({ id }: S3Grant, file: StoredFile): void {
  if (id === ANYONE && file.visibility !== 'public') throw new S3Error('AccessDenied');
}

/**
 * What everyone may do: read a public object, list a public bucket.
 * @returns the rights to go on with. @throws S3Error `AccessDenied`.
 */
export async function authorizeAnyone(
  service: S3Service,
  request: S3Request,
  command: Command,
  bucket: Bucket,
  key: string | undefined,
): Promise<S3Grant> {
  const grant: S3Grant = {
    id: ANYONE,
    accountId: bucket.accountId,
    readOnly: true,
    mayRead: true,
    prefix: null,
    expiresAt: null,
    allowedIps: [],
  };
  if (!command.anyone) throw new S3Error('AccessDenied');
  const isOpen = bucketAcl(bucket) === 'public-read';
  if (key === undefined) {
    if (!isOpen) throw new S3Error('AccessDenied');
    return grant;
  }
  if (request.query.pairs.some(([name]) => name.startsWith('response-')))
    throw new S3Error('InvalidRequest', 'Request specific response headers cannot be used for anonymous GET requests.');
  const file = await service.blobs.get({ accountId: bucket.accountId, bucketId: bucket.id }, key);
  // That a key is not there is told to those only who may list.
  if (file ? file.visibility !== 'public' : !isOpen) throw new S3Error('AccessDenied');
  return grant;
}
