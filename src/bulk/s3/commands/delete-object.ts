import { S3Error } from '../../errors.js';
import type { Store } from '../object-store.js';

/**
 * Deletes one object. Succeeds if there is none.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObject.html
 */
export async function deleteObject(store: Store, request: { bucket: string; key: string; signal: AbortSignal }): Promise<void> {
  try {
    await store.send({ method: 'DELETE', ...request });
  } catch (error) {
    if (!(error instanceof S3Error) || error.code !== 'NoSuchKey') throw error;
  }
}
