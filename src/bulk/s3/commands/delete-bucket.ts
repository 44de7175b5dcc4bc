import type { Store } from '../object-store.js';

/**
 * Deletes an empty bucket.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucket.html
 */
export async function deleteBucket(store: Store, request: { bucket: string; signal: AbortSignal }): Promise<void> {
  await store.send({ method: 'DELETE', ...request });
}
