import type { Query } from '../../drivers/metadata/metadata.js';
import type { BlobsContext } from '../context.js';
import { abandoned } from './reservation.js';
import type { Reservation } from './reservation.js';
import type { Body } from '../types.js';
import { assertQuota } from '../files/usage.js';
import type { Storage } from '../../identity/credential.js';

/** Bytes held at once at most: enough that a fast body seldom asks, and little for others to miss. */
const STEP = 8 * 1024 * 1024;

/**
 * Passes a body on and holds the bytes of the quota that have arrived before it does: however many bodies arrive at once, no more of them is
 * written than the quota leaves.
 * @param size at most so many bytes arrive. @throws `STORAGE_FULL`.
 */
export function holding(
  context: BlobsContext,
  { accountId }: Storage,
  { id, held }: Reservation,
  body: Body,
  size = Infinity,
): Body {
  return held === undefined || held >= size ? body : hold(context, accountId, { id, held, size }, body);
}

async function* hold(
  context: BlobsContext,
  accountId: string,
  { id, held, size }: { id: string; held: number; size: number },
  body: Body,
): AsyncGenerator<Uint8Array> {
  let come = 0;
  for await (const chunk of body) {
    come += chunk.byteLength;
    if (come > held) {
      const needed = come - held;
      const wanted = Math.min(come, STEP, size - held);
      held += await context.metadata.write((query) => grow(query, accountId, id, needed, wanted), { durable: false });
    }
    yield chunk;
  }
}

/** @returns how many bytes more are held: what is needed and, where there is room, some of what may follow. */
async function grow(query: Query, accountId: string, id: string, needed: number, wanted: number): Promise<number> {
  const left = await assertQuota(query, accountId, needed);
  const more = Math.max(needed, wanted <= left ? wanted : 0);
  const grown = await query
    .updateTable('reservations')
    .set((e) => ({ bytes: e('bytes', '+', more) }))
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  if (Number(grown.numUpdatedRows) === 0) throw abandoned();
  return more;
}
