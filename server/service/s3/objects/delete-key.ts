import { BlobError } from '../../../../src/protocol/errors.js';
import type { Storage } from '../../identity/credential.js';
import { S3ServiceError } from '../errors.js';
import type { S3Service } from '../service.js';
import { parseEntityTags } from '../messages/conditions.js';

/** Conditions of a deletion, as sent by the client. */
export interface DeleteConditions {
  etag: string | undefined;
  size: string | undefined;
  /** The time of the last change, as an HTTP date or in ISO 8601. */
  modified: string | undefined;
}

const toSeconds = (time: number) => Math.floor(time / 1000);

/** Deletes an object. A missing object is not an error. @throws S3ServiceError `PreconditionFailed` */
export async function deleteKey(
  { blobs }: S3Service,
  storage: Storage,
  key: string,
  conditions: DeleteConditions,
): Promise<void> {
  const { etag, size, modified } = conditions;
  if (etag === undefined && size === undefined && modified === undefined) {
    await blobs.delete(storage, key);
    return;
  }
  const file = await blobs.get(storage, key);
  if (!file) return;
  const expectedEtag = etag === undefined ? '*' : parseEntityTags(etag)[0];
  const isMet =
    (expectedEtag === '*' || expectedEtag === file.etag) &&
    (size === undefined || Number(size) === file.size) &&
    (modified === undefined || toSeconds(Date.parse(modified)) === toSeconds(file.updatedAt));
  if (!isMet) throw new S3ServiceError('PreconditionFailed', undefined, { fields: { Condition: 'If-Match' } });
  try {
    // An object that replaced the checked one in the meantime is not deleted.
    await blobs.delete(storage, key, { ifMatch: file.etag });
  } catch (error) {
    if (!(error instanceof BlobError && error.code === 'FILE_NOT_FOUND')) throw error;
  }
}
