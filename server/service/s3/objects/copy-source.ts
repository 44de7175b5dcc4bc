import type { Storage } from '../../identity/credential.js';
import type { OpenedFile } from '../../storage/blob-storage.js';
import { coversKey } from '../access/authorize.js';
import { S3ServiceError, invalidArgument } from '../errors.js';
import { noSuchKey, requireBucket } from './require-target.js';
import type { ObjectContext } from '../command.js';
import { checkCopyConditions } from '../messages/conditions.js';

const COPY_SOURCE = 'x-amz-copy-source';

const malformed = (value: string) =>
  invalidArgument(COPY_SOURCE, value, 'Copy Source must mention the source bucket and key: sourcebucket/sourcekey');

/** Opens the object that `x-amz-copy-source` names. Checks its conditions and whether the key pair may read it. @throws S3ServiceError */
export async function openCopySource(context: ObjectContext): Promise<{ storage: Storage; opened: OpenedFile }> {
  const header = context.request.headers.get(COPY_SOURCE)!;
  const versionStart = header.search(/\?versionId=/);
  const version = versionStart === -1 ? 'null' : header.slice(versionStart + '?versionId='.length);
  let path: string;
  try {
    path = decodeURIComponent(versionStart === -1 ? header : header.slice(0, versionStart)).replace(/^\//, '');
  } catch {
    throw malformed(header);
  }
  const slash = path.indexOf('/');
  const key = path.slice(slash + 1);
  if (slash < 1 || key === '' || path.includes('\0')) throw malformed(header);
  if (version !== 'null') throw invalidArgument(COPY_SOURCE, header, 'Invalid version id specified');
  const bucket = await requireBucket(context.service, path.slice(0, slash));
  if (bucket.accountId !== context.grant.accountId || !coversKey(context.grant, bucket, key))
    throw new S3ServiceError('AccessDenied');
  const storage = { accountId: bucket.accountId, bucketId: bucket.id };
  const opened = await context.service.blobs.open(storage, key);
  if (!opened) throw noSuchKey(key);
  checkCopyConditions(context.request, { etag: opened.file.etag, modifiedAt: opened.file.updatedAt });
  return { storage, opened };
}
