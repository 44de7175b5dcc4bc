import { settleWithin } from '../../runtime/settle-within.js';
import type { StorageContext } from '../context.js';
import { releaseReservation } from './release-reservation.js';

/** Time for interrupted uploads to release their reservations, and then again for the release of the other ones. */
const RELEASE_WITHIN_MS = 3000;

/** Counts an upload as running until it has ended. @returns the upload. */
export function trackUpload<T>({ runningUploads }: StorageContext, upload: Promise<T>): Promise<T> {
  const ended = upload.then(
    () => {},
    () => {},
  );
  runningUploads.add(ended);
  void ended.then(() => runningUploads.delete(ended));
  return upload;
}

/** Releases the reservations of interrupted uploads of this process: their uses, idempotency keys and quota. See `BlobStorage.releaseInterrupted`. */
export async function releaseInterrupted(context: StorageContext): Promise<void> {
  await settleWithin(RELEASE_WITHIN_MS, Promise.all(context.runningUploads));
  await settleWithin(RELEASE_WITHIN_MS, releaseOwnReservations(context));
}

async function releaseOwnReservations(context: StorageContext): Promise<void> {
  const { metadata, replica, pendingReleases } = context;
  const rows = await metadata.db.selectFrom('reservations').select('id').where('replica', '=', replica).execute();
  for (const id of new Set([...pendingReleases, ...rows.map((row) => row.id)])) await releaseReservation(context, id);
}
