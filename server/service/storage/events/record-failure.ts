import type { StorageContext } from '../context.js';
import { isUploadFailure, uploadFailed } from './file-event.js';
import { recordEvents, subscriptionsOf } from './record-events.js';

/**
 * Records the failure of an upload that had no reservation, and so no transaction of its own. The upload has left no trace, so the service
 * may end before this event is written.
 */
export async function recordFailure(context: StorageContext, bucketId: string, key: string, cause: unknown): Promise<void> {
  if (!isUploadFailure(cause)) return;
  const { metadata } = context;
  // A read, because most storages have no webhook for failures.
  if ((await subscriptionsOf(metadata.db, bucketId, 'upload.failed')).length === 0) return;
  await metadata.write((query) => recordEvents(context, query, bucketId, () => [uploadFailed(key, cause)]));
}
