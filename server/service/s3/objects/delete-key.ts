import { BlobError } from '../../../../src/protocol/errors.js';
import type { Storage } from '../../identity/credential.js';
import { S3ServiceError } from '../errors.js';
import type { StoredFile } from '../../storage/types.js';
import type { S3Service } from '../service.js';
import { parseEntityTags } from '../messages/conditions.js';

/** Conditions of a deletion, as sent by the client. */
export interface DeleteConditions {
  etag: string | undefined;
  size: string | undefined;
  /** The time of the last change, as an HTTP date or in ISO 8601. */
  modified: string | undefined;
}

/** Returns whether a deletion has a condition. */
export const isConditional = ({ etag, size, modified }: DeleteConditions): boolean =>
  etag !== undefined || size !== undefined || modified !== undefined;

const toSeconds = (time: number) => Math.floor(time / 1000);

/** Returns whether a file meets the conditions of its deletion. */
export function meetsConditions({ etag, size, modified }: DeleteConditions, file: StoredFile): boolean {
  const expectedEtag = etag === undefined ? '*' : parseEntityTags(etag)[0];
  return (
    (expectedEtag === '*' || expectedEtag === file.etag) &&
    (size === undefined || Number(size) === file.size) &&
    (modified === undefined || toSeconds(Date.parse(modified)) === toSeconds(file.updatedAt))
  );
}

export const conditionFailed = () => new S3ServiceError('PreconditionFailed', undefined, { fields: { Condition: 'If-Match' } });

/** Deletes an object. A missing object is not an error. @throws S3ServiceError `PreconditionFailed` */
export async function deleteKey(
  { blobs }: S3Service,
  storage: Storage,
  key: string,
  conditions: DeleteConditions,
): Promise<void> {
  if (!isConditional(conditions)) {
    await blobs.delete(storage, key);
    return;
  }
  const file = await blobs.get(storage, key);
  if (!file) return;
  if (!meetsConditions(conditions, file)) throw conditionFailed();
  try {
    // An object that replaced the checked one in the meantime is not deleted.
    await blobs.delete(storage, key, { ifMatch: file.etag });
  } catch (error) {
    if (!(error instanceof BlobError && error.code === 'FILE_NOT_FOUND')) throw error;
  }
}
