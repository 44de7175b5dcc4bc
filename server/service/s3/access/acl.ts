import type { Bucket } from '../../storage/blob-storage.js';
import { S3ServiceError } from '../errors.js';
import type { CommandContext } from '../command.js';
import { readSmallBody } from '../body/read-small-body.js';
import { ownerXml } from '../messages/listing.js';
import type { S3Request } from '../messages/request.js';
import { xmlDocument } from '../xml/write-xml.js';
import type { XmlNode } from '../xml/write-xml.js';

/** The two supported access control lists. `public-read` corresponds to the visibility `public` of a file in the REST API. */
export type CannedAcl = 'private' | 'public-read';

const EVERYONE = 'http://acs.amazonaws.com/groups/global/AllUsers';
const MAX_BODY = 64 * 1024;

export const bucketAcl = (bucket: Bucket): CannedAcl => (bucket.settings['acl'] === 'public-read' ? 'public-read' : 'private');

export const aclHeader = (request: S3Request): CannedAcl =>
  request.headers.get('x-amz-acl') === 'public-read' ? 'public-read' : 'private';

/** Reads the ACL of a PutBucketAcl or PutObjectAcl request from its header. @throws S3ServiceError `NotImplemented` for an ACL in the body. */
export async function readRequestedAcl({ request, payload }: CommandContext): Promise<CannedAcl> {
  const hasBody =
    Number(request.headers.get('content-length') ?? 0) > 0 || request.headers.get('transfer-encoding') !== undefined;
  if (hasBody && (await readSmallBody(request, payload(), MAX_BODY)) !== '')
    throw new S3ServiceError('NotImplemented', 'Only the canned access control lists private and public-read are supported.');
  if (request.headers.get('x-amz-acl') === undefined) throw new S3ServiceError('MissingSecurityHeader');
  return aclHeader(request);
}

/** Writes an ACL as an `AccessControlPolicy` document. */
export function aclXml(accountId: string, acl: CannedAcl): string {
  const grant = (type: string, grantee: XmlNode, permission: string): XmlNode => ({
    Grantee: { '@': `xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="${type}"`, ...grantee },
    Permission: permission,
  });
  const owner = ownerXml(accountId);
  return xmlDocument('AccessControlPolicy', {
    Owner: owner,
    AccessControlList: {
      Grant: [
        ...(acl === 'public-read' ? [grant('Group', { URI: EVERYONE }, 'READ')] : []),
        grant('CanonicalUser', owner, 'FULL_CONTROL'),
      ],
    },
  });
}
