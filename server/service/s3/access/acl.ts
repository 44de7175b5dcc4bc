import type { Bucket } from '../../storage/blobs.js';
import { S3Error } from '../errors.js';
import type { Call } from '../service.js';
import { readSmall } from '../messages/body-checks.js';
import { ownerXml } from '../messages/listing.js';
import type { S3Request } from '../messages/request.js';
import { xmlDocument } from '../xml/write.js';
import type { XmlNode } from '../xml/write.js';

/** The two access rules there are: the owner's alone, or readable by everyone. A public object is a public file over REST. */
export type CannedAcl = 'private' | 'public-read';

const EVERYONE = 'http://acs.amazonaws.com/groups/global/AllUsers';
const MAX_BODY = 64 * 1024;

export const bucketAcl = (bucket: Bucket): CannedAcl => (bucket.settings['acl'] === 'public-read' ? 'public-read' : 'private');

export const statedAcl = (request: S3Request): CannedAcl =>
  request.headers.get('x-amz-acl') === 'public-read' ? 'public-read' : 'private';

/** The rule a PutBucketAcl or PutObjectAcl names in its header. @throws S3Error `NotImplemented` for single grants. */
export async function requestedAcl({ request, payload }: Call): Promise<CannedAcl> {
  const hasBody =
    Number(request.headers.get('content-length') ?? 0) > 0 || request.headers.get('transfer-encoding') !== undefined;
  if (hasBody && (await readSmall(request, payload(), MAX_BODY)) !== '')
    throw new S3Error('NotImplemented', 'Only the canned access control lists private and public-read are supported.');
  if (request.headers.get('x-amz-acl') === undefined) throw new S3Error('MissingSecurityHeader');
  return statedAcl(request);
}

/** How S3 writes a rule out. */
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
