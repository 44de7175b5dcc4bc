import { S3ServiceError, invalidArgument } from '../errors.js';
import type { S3Request } from './request.js';

/** Headers of features that the endpoint lacks, with the values that have no effect. Ignoring them would report a false success. */
const HEADERS: readonly (readonly [name: RegExp, harmless: readonly string[]])[] = [
  [/^x-amz-(copy-source-)?server-side-encryption/, []],
  [/^x-amz-grant-/, []],
  [/^x-amz-acl$/, ['private', 'public-read', 'bucket-owner-full-control', 'bucket-owner-read']],
  [/^x-amz-storage-class$/, ['standard']],
  [/^x-amz-object-ownership$/, ['bucketownerenforced']],
  [/^x-amz-bucket-object-lock-enabled$/, ['false']],
  [/^x-amz-object-lock-/, []],
  [/^x-amz-website-redirect-location$/, []],
  [/^x-amz-mfa$/, []],
  [/^x-amz-write-offset-bytes$/, []],
  [/^x-amz-rename-source/, []],
];

/** Query names that select S3 operations. A name that no command uses is not implemented. */
const SUBRESOURCES = new Set(
  `abac accelerate acl analytics annotation append attributes cors delete encryption intelligent-tiering inventory legal-hold lifecycle
  list-type location logging metadataConfiguration metadataTable metrics notification object-lock ownershipControls partNumber policy
  policyStatus publicAccessBlock renameObject replication requestPayment restore retention select session tagging torrent uploadId uploads
  versioning versions website`.split(/\s+/),
);

export const isSubresource = (name: string): boolean => SUBRESOURCES.has(name);

/** @throws S3ServiceError `NotImplemented` for an unsupported header, `InvalidArgument` for a version id, because buckets have no versioning. */
export function rejectUnsupported(request: S3Request): void {
  for (const name of request.headers.names()) {
    const rule = HEADERS.find(([pattern]) => pattern.test(name));
    if (rule && !rule[1].includes(request.headers.get(name)!.toLowerCase()))
      throw new S3ServiceError('NotImplemented', undefined, { fields: { Header: name } });
  }
  const version = request.query.get('versionId');
  if (version !== undefined && version !== 'null') throw invalidArgument('versionId', version, 'Invalid version id specified');
}
