import type { Store } from '../object-store.js';

/** Source: AWS API reference, DeleteBucket; it has to be empty. */
export async function deleteBucket(store: Store, request: { bucket: string; signal: AbortSignal }): Promise<void> {
  await store.send({ method: 'DELETE', ...request });
}
