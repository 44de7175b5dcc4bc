import { S3Error } from '../../errors.js';
import type { Store } from '../object-store.js';

/** Source: AWS API reference, DeleteObject. One that is gone already is deleted. */
export async function deleteObject(store: Store, request: { bucket: string; key: string; signal: AbortSignal }): Promise<void> {
  try {
    await store.send({ method: 'DELETE', ...request });
  } catch (error) {
    if (!(error instanceof S3Error) || error.code !== 'NoSuchKey') throw error;
  }
}
