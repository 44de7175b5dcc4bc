import { allowsAddress } from '../../identity/provenance.js';
import type { Bucket } from '../../storage/blob-storage.js';
import type { S3Grant } from '../../identity/s3-credentials.js';
import { S3ServiceError } from '../errors.js';
import type { Command } from '../command.js';
import type { S3Request } from '../messages/request.js';

/** Returns whether a key pair may access a key. A key pair with a prefix may access only that folder of the main bucket. */
export const coversKey = (grant: S3Grant, bucket: Bucket, key: string): boolean =>
  grant.prefix === null || (bucket.isMain && key.startsWith(`${grant.prefix}/`));

const accessDenied = (reason: string) => new S3ServiceError('AccessDenied', reason);

/** Refuses expired credentials, once, when a request starts. @throws S3ServiceError `ExpiredToken` */
export function rejectExpired(grant: S3Grant, now: number): void {
  if (grant.expiresAt !== null && grant.expiresAt <= now) throw new S3ServiceError('ExpiredToken', 'This key pair has expired.');
}

/**
 * Refuses addresses that the key pair does not allow. Key pairs inherit the allowed addresses of the API key that created them.
 * @throws S3ServiceError `AccessDenied`
 */
export function rejectForbiddenAddress(grant: S3Grant, { client }: S3Request): void {
  if (!allowsAddress(grant, client.address)) throw accessDenied('This key pair may not be used from this address.');
}

/** Checks whether a key pair may use a command at all. @throws S3ServiceError `AccessDenied` */
export function authorizeCommand(grant: S3Grant, command: Command): void {
  if (grant.readOnly && command.access === 'write') throw accessDenied('This key pair is read-only.');
  if (!grant.mayRead && (command.access === 'read' || command.alsoReadsData)) throw accessDenied('This key pair may not read.');
  const isLimited = grant.prefix !== null && command.target !== 'object';
  if (isLimited && (command.prefixLimited ?? 'deny') === 'deny') throw accessDenied('This key pair is limited to a prefix.');
}

/** Checks the header `x-amz-expected-bucket-owner`. @throws S3ServiceError `AccessDenied` */
export function checkExpectedOwner({ headers }: S3Request, bucket: Bucket): void {
  const owner = headers.get('x-amz-expected-bucket-owner');
  if (owner !== undefined && owner !== bucket.accountId) throw accessDenied('Access Denied');
}

/** Checks whether a key pair may access the bucket, key or listed prefix of a request. @throws S3ServiceError `AccessDenied` */
export function authorizeTarget(
  grant: S3Grant,
  command: Command,
  bucket: Bucket,
  request: S3Request,
  key: string | undefined,
): void {
  checkExpectedOwner(request, bucket);
  if (grant.prefix === null) return;
  if (!bucket.isMain) throw accessDenied('This key pair is limited to a prefix of the main bucket.');
  if (key !== undefined && !coversKey(grant, bucket, key))
    throw accessDenied(`This key pair is limited to the prefix ${grant.prefix}/.`);
  const listedPrefix = request.query.get('prefix') ?? '';
  if (command.prefixLimited === 'check-listed-prefix' && !coversKey(grant, bucket, listedPrefix))
    throw accessDenied(`This key pair may list only below the prefix ${grant.prefix}/.`);
}
