import { BlobError } from '../../../src/protocol/errors.js';
import { S3Error } from './errors.js';
import type { S3Service } from './service.js';
import { entityTags } from './messages/conditions.js';
import type { Storage } from '../identity/credential.js';

/** What an object must be for its deletion to count, each as the client wrote it. */
export interface DeleteConditions {
  etag: string | undefined;
  size: string | undefined;
  /** HTTP date or ISO 8601. */
  modified: string | undefined;
}

const seconds = (time: number) => Math.floor(time / 1000);

/** Deletes one key; what is not there is as good as deleted. @throws S3Error `PreconditionFailed`. */
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
  const wanted = etag === undefined ? '*' : entityTags(etag)[0];
  const holds =
    (wanted === '*' || wanted === file.etag) &&
    (size === undefined || Number(size) === file.size) &&
    (modified === undefined || seconds(Date.parse(modified)) === seconds(file.updatedAt));
  if (!holds) throw new S3Error('PreconditionFailed', undefined, { fields: { Condition: 'If-Match' } });
  try {
    // Bound to what was judged: another object that came meanwhile stays.
    await blobs.delete(storage, key, { ifMatch: file.etag });
  } catch (error) {
    if (!(error instanceof BlobError && error.code === 'FILE_NOT_FOUND')) throw error;
  }
}
