import { admitsAddress } from '../../identity/provenance.js';
import type { Bucket } from '../../storage/blobs.js';
import type { S3Grant } from '../../identity/s3-credentials.js';
import { S3Error } from '../errors.js';
import type { Command } from '../service.js';
import type { S3Request } from '../messages/request.js';

/** Whether a key pair reaches a key of the account's buckets. A limited one reaches one folder of the main bucket. */
export const reaches = (grant: S3Grant, bucket: Bucket, key: string): boolean =>
  grant.prefix === null || (bucket.isMain && key.startsWith(`${grant.prefix}/`));

const denied = (why: string) => new S3Error('AccessDenied', why);

/** Judged when a request begins, as of tokens. @throws S3Error `ExpiredToken` */
export function refuseExpired(grant: S3Grant, now: number): void {
  if (grant.expiresAt !== null && grant.expiresAt <= now) throw new S3Error('ExpiredToken', 'This key pair has expired.');
}

/** @throws S3Error `AccessDenied` where the API key that created the pair may not be used either. */
export function refuseAddress(grant: S3Grant, { client }: S3Request): void {
  if (!admitsAddress(grant, client.address)) throw denied('This key pair may not be used from this address.');
}

/** @throws S3Error `AccessDenied` when the pair may not do what the command does. */
export function authorize(grant: S3Grant, command: Command): void {
  if (grant.readOnly && command.access === 'write') throw denied('This key pair is read-only.');
  if (!grant.mayRead && (command.access === 'read' || command.alsoReads)) throw denied('This key pair may not read.');
  const limited = grant.prefix !== null;
  if (limited && command.on !== 'object' && (command.reach ?? 'whole') === 'whole')
    throw denied('This key pair is limited to a prefix.');
}

/** @throws S3Error `AccessDenied` when the request names another account than the bucket's. */
export function authorizeOwner({ headers }: S3Request, bucket: Bucket): void {
  const owner = headers.get('x-amz-expected-bucket-owner');
  if (owner !== undefined && owner !== bucket.accountId) throw denied('Access Denied');
}

/** @throws S3Error `AccessDenied` when bucket, key or listed prefix lie outside what the pair opens. */
export function authorizeTarget(
  grant: S3Grant,
  command: Command,
  bucket: Bucket,
  request: S3Request,
  key: string | undefined,
): void {
  authorizeOwner(request, bucket);
  if (grant.prefix === null) return;
  if (!bucket.isMain) throw denied('This key pair is limited to a prefix of the main bucket.');
  if (key !== undefined && !reaches(grant, bucket, key)) throw denied(`This key pair is limited to the prefix ${grant.prefix}/.`);
  const listed = request.query.get('prefix') ?? '';
  if (command.on !== 'object' && command.reach === 'list' && !reaches(grant, bucket, listed))
    throw denied(`This key pair lists below the prefix ${grant.prefix}/ only.`);
}
