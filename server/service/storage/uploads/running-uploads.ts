import { settleWithin } from '../../runtime/settle-within.js';
import type { StorageContext } from '../context.js';
import { releaseReservation } from './reservation.js';

/** Uploads that lost their connections have this long to put away what they hold, and so long has the release of the rest. ms */
const WAIT = 3000;

/** Notes an upload as running until it has ended. */
export function trackUpload<T>({ runningUploads }: StorageContext, upload: Promise<T>): Promise<T> {
  const ended = upload.then(
    () => {},
    () => {},
  );
  runningUploads.add(ended);
  void ended.then(() => runningUploads.delete(ended));
  return upload;
}

/** Releases what uploads of this process still hold, see `Blobs.releaseInterrupted`. */
export async function releaseInterrupted(context: StorageContext): Promise<void> {
  await settleWithin(WAIT, Promise.all(context.runningUploads));
  await settleWithin(WAIT, releaseOwn(context));
}

async function releaseOwn(context: StorageContext): Promise<void> {
  const { metadata, replica, pendingReleases } = context;
  const rows = await metadata.db.selectFrom('reservations').select('id').where('replica', '=', replica).execute();
  for (const id of new Set([...pendingReleases, ...rows.map((row) => row.id)])) await releaseReservation(context, id);
}
