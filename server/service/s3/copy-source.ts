import type { OpenedFile } from '../storage/blobs.js';
import { reaches } from './access/authorize.js';
import { requireBucket } from './buckets.js';
import { S3Error, invalidArgument } from './errors.js';
import { noSuchKey } from './read-object.js';
import type { ObjectCall } from './service.js';
import { checkCopyConditions } from './messages/conditions.js';
import type { Storage } from '../identity/credential.js';

const HEADER = 'x-amz-copy-source';

const malformed = (value: string) =>
  invalidArgument(HEADER, value, 'Copy Source must mention the source bucket and key: sourcebucket/sourcekey');

/** The object `x-amz-copy-source` names, opened, with its conditions judged and the key pair's reach checked there too. */
export async function openCopySource(call: ObjectCall): Promise<{ storage: Storage; opened: OpenedFile }> {
  const header = call.request.headers.get(HEADER)!;
  const mark = header.search(/\?versionId=/);
  const version = mark === -1 ? 'null' : header.slice(mark + '?versionId='.length);
  let path: string;
  try {
    path = decodeURIComponent(mark === -1 ? header : header.slice(0, mark)).replace(/^\//, '');
  } catch {
    throw malformed(header);
  }
  const slash = path.indexOf('/');
  const key = path.slice(slash + 1);
  if (slash < 1 || key === '' || path.includes('\0')) throw malformed(header);
  if (version !== 'null') throw invalidArgument(HEADER, header, 'Invalid version id specified');
  const bucket = await requireBucket(call.service, path.slice(0, slash));
  if (bucket.accountId !== call.grant.accountId || !reaches(call.grant, bucket, key)) throw new S3Error('AccessDenied');
  const storage = { accountId: bucket.accountId, bucketId: bucket.id };
  const opened = await call.service.blobs.open(storage, key);
  if (!opened) throw noSuchKey(key);
  checkCopyConditions(call.request, { etag: opened.file.etag, modifiedAt: opened.file.updatedAt });
  return { storage, opened };
}
