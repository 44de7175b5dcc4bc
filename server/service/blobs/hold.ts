import type { Query } from '../metadata/metadata.js';
import type { BlobsContext } from './context.js';
import { abandoned } from './reservation.js';
import type { Reservation } from './reservation.js';
import type { Body, Storage } from './types.js';
import { assertQuota } from './usage.js';

/** Bytes held at once at most: enough that a fast body seldom asks, and little for others to miss. */
const STEP = 8 * 1024 * 1024;

/**
 * Passes on a body that did not say how long it is, and holds of the quota what has come before it is passed on: however many such bodies
 * come at once, no more of them is written than the quota leaves. @throws `STORAGE_FULL`.
 */
export function holding(context: BlobsContext, { accountId }: Storage, reservation: Reservation, body: Body): Body {
  return reservation.hasQuota ? hold(context, accountId, reservation.id, body) : body;
}

async function* hold(context: BlobsContext, accountId: string, id: string, body: Body): AsyncGenerator<Uint8Array> {
  let come = 0;
  let held = 0;
  for await (const chunk of body) {
    come += chunk.byteLength;
    if (come > held) {
      const needed = come - held;
      held += await context.metadata.write((query) => grow(query, accountId, id, needed, Math.min(come, STEP)), {
        durable: false,
      });
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
