import type { Expression } from 'kysely';
import { isStoreUnavailable } from '../../drivers/bytes/driver.js';
import { isDatabaseFull } from '../../drivers/metadata/metadata.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import { giveUseBack } from '../../identity/token-uses.js';
import type { StorageContext } from '../context.js';
import { isUploadFailure, uploadFailed } from '../events/file-event.js';
import { recordEvents } from '../events/record-events.js';
import { freeIdempotencyKey } from './idempotency.js';

/**
 * Releases a failed upload: gives the token's use, the idempotency key and the quota back, and deletes the blob. Does nothing if the upload
 * was committed, so it may also follow a commit whose outcome is unknown.
 * @param failure what the upload failed with. If the store did not respond, the sweep deletes the blob later, because another request to
 * the store would take as long.
 */
export async function releaseReservation(context: StorageContext, id: string, failure?: unknown): Promise<void> {
  try {
    await releaseAndDelete(context, id, failure);
    context.pendingReleases.delete(id);
  } catch (cause) {
    // The disk is full or the database is away. Only this process knows that the upload is over, so its next sweep tries again.
    context.pendingReleases.add(id);
    // Deleting the bytes makes room for deleting the row. While the reservation exists, no commit has used the bytes.
    if (isDatabaseFull(cause) && (await isReserved(context, id))) await context.bytes.delete([id]);
    throw cause;
  }
}

/**
 * Releases an upload of another process unless that process has recorded a heartbeat since. The sweep deletes the blob later.
 * @param before heartbeats before this time do not count.
 * @returns whether the upload was released.
 */
export const releaseDeadReservation = (context: StorageContext, id: string, before: Expression<number>): Promise<boolean> =>
  context.metadata.write((query) => releaseRow(context, query, id, undefined, before));

async function releaseAndDelete(context: StorageContext, id: string, failure: unknown): Promise<void> {
  const isReleased = await context.metadata.write((query) => releaseRow(context, query, id, failure));
  if (isReleased && isStoreUnavailable(failure)) return;
  // Without a reservation the upload was committed, or a sweep released it before its last bytes arrived.
  if (!isReleased && (await isCommitted(context, id))) return;
  await context.bytes.delete([id]);
  await context.metadata.write((query) => query.deleteFrom('blobs').where('id', '=', id).where('refs', '=', 0).execute(), {
    durable: false,
  });
}

async function isReserved({ metadata }: StorageContext, id: string): Promise<boolean> {
  return (await metadata.db.selectFrom('reservations').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

async function isCommitted({ metadata }: StorageContext, id: string): Promise<boolean> {
  return (await metadata.db.selectFrom('blobs').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

/**
 * Deletes a reservation, gives its use, idempotency key and quota back, and records the failure of its upload.
 * @returns false if there is no such reservation.
 */
async function releaseRow(
  context: StorageContext,
  query: Query,
  id: string,
  failure: unknown,
  lastSignBefore?: Expression<number>,
): Promise<boolean> {
  let deletion = query.deleteFrom('reservations').where('id', '=', id);
  if (lastSignBefore) deletion = deletion.where('alive_at', '<', lastSignBefore);
  const row = await deletion.returningAll().executeTakeFirst();
  if (!row) return false;
  if (row.idempotency_id !== null) await freeIdempotencyKey(query, row.idempotency_id);
  if (row.token_id !== null) await giveUseBack(query, row.token_id);
  // The sweep finds the blob by this row if the process ends before it deletes the bytes.
  await query.insertInto('blobs').values({ id, size: 0, sha256: '', refs: 0, freed_at: context.metadata.clock }).execute();
  const { bucket_id, key } = row;
  if (bucket_id !== null && key !== null && isUploadFailure(failure))
    await recordEvents(context, query, bucket_id, () => [uploadFailed(key, failure)]);
  return true;
}
