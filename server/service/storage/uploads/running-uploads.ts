import { settleWithin } from '../../runtime/settle-within.js';
import type { BlobsContext } from '../context.js';
import { release } from './reservation.js';

/** Uploads that lost their connections have this long to put away what they hold, and so long has the release of the rest. ms */
const WAIT = 3000;

/** Notes an upload as running until it has ended. */
export function track<T>({ running }: BlobsContext, upload: Promise<T>): Promise<T> {
  const ended = upload.then(
    () => {},
    () => {},
  );
  running.add(ended);
  void ended.then(() => running.delete(ended));
  return upload;
}

/** Releases what uploads of this process still hold, see `Blobs.releaseInterrupted`. */
export async function releaseInterrupted(context: BlobsContext): Promise<void> {
  await settleWithin(WAIT, Promise.all(context.running));
  await settleWithin(WAIT, releaseOwn(context));
}

async function releaseOwn(context: BlobsContext): Promise<void> {
  const { metadata, replica, stuck } = context;
  const rows = await metadata.db.selectFrom('reservations').select('id').where('replica', '=', replica).execute();
  for (const id of new Set([...stuck, ...rows.map((row) => row.id)])) await release(context, id);
}
