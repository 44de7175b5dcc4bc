import type { Query } from '../../drivers/metadata/metadata.js';
import type { Storage } from '../../identity/credential.js';
import type { StorageContext } from '../context.js';
import { assertQuota } from '../files/usage.js';
import type { Body } from '../types.js';
import { uploadAbandoned } from './reservation.js';
import type { Reservation } from './reservation.js';

/**
 * Bytes reserved with one transaction at most. A fast body needs few transactions, and little quota is reserved too early.
 */
const MAX_STEP = 8 * 1024 * 1024;

/**
 * Passes a body on and reserves its bytes in the quota before they are written. Bodies that arrive at once never exceed the
 * quota together. Does nothing for an account without a quota.
 * @param announcedSize bytes of the body if the client announced them. @throws `STORAGE_FULL` into the reader of the body.
 */
export function reserveQuota(
  context: StorageContext,
  { accountId }: Storage,
  { id, reservedBytes }: Reservation,
  body: Body,
  announcedSize = Infinity,
): Body {
  if (reservedBytes === undefined || reservedBytes >= announcedSize) return body;
  return reserveWhileStreaming(context, accountId, { id, reservedBytes, announcedSize }, body);
}

async function* reserveWhileStreaming(
  context: StorageContext,
  accountId: string,
  { id, reservedBytes, announcedSize }: { id: string; reservedBytes: number; announcedSize: number },
  body: Body,
): AsyncGenerator<Uint8Array> {
  let reserved = reservedBytes;
  let received = 0;
  for await (const chunk of body) {
    received += chunk.byteLength;
    if (received > reserved) {
      const needed = received - reserved;
      // Doubles the reservation each time, up to a step.
      const wanted = Math.min(received, MAX_STEP, announcedSize - reserved);
      reserved += await context.metadata.write((query) => growReservation(query, accountId, id, needed, wanted), {
        durable: false,
      });
    }
    yield chunk;
  }
}

/**
 * Adds bytes to a reservation: `wanted` if the quota has room for them, otherwise `needed`.
 * @returns the added bytes.
 */
async function growReservation(query: Query, accountId: string, id: string, needed: number, wanted: number): Promise<number> {
  const free = await assertQuota(query, accountId, needed);
  const added = Math.max(needed, wanted <= free ? wanted : 0);
  const updated = await query
    .updateTable('reservations')
    .set((e) => ({ bytes: e('bytes', '+', added) }))
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  if (Number(updated.numUpdatedRows) === 0) throw uploadAbandoned();
  return added;
}
