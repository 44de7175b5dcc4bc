import { createHash } from 'node:crypto';
import type { Expression } from 'kysely';
import { BlobError } from '../../../../src/protocol/errors.js';
import { IDEMPOTENCY } from '../../../../src/protocol/limits.js';
import { isStoreUnavailable } from '../../drivers/bytes/driver.js';
import { newBlobId } from '../../runtime/ids.js';
import { RETRY_AFTER_SECONDS } from '../../drivers/metadata/database-unavailable.js';
import { isDatabaseFull } from '../../drivers/metadata/metadata.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import { statement } from '../../drivers/metadata/prepared-query.js';
import type { ReservationsTable } from '../../drivers/metadata/tables.js';
import type { StorageContext } from '../context.js';
import type { Idempotency, StoredFile } from '../types.js';
import { assertQuota } from '../files/usage.js';
import { assertMayRepeat, giveUseBack, takeUse } from '../../identity/token-uses.js';
import type { Credential, Storage } from '../../identity/credential.js';

/** Everything a running upload holds, until it commits or is released. */
export interface Reservation {
  /** Also the id of the blob it writes. */
  id: string;
  startedAt: number;
  idempotencyId: string | null;
  /** Bytes of the account's quota that are held; undefined without a quota. See `holding`. */
  reservedBytes: number | undefined;
}

export interface ReservationRequest {
  credential: Credential;
  /** Bytes that must fit into the quota now; 0 when unknown. At most `HELD_AHEAD` of them are held before they arrive. */
  size: number;
  /** The upload of several steps whose part it is: that one took the token's use. */
  partOf?: string;
  idempotency?: Idempotency;
  /** Whatever else can be judged before the first byte. */
  precheck?: (query: Query) => Promise<void>;
}

/**
 * Bytes of an announced body that are held before they arrive, so that a small body needs no further transaction. More would let clients that
 * send nothing fill the quota of others.
 */
const RESERVED_AHEAD = 256 * 1024;

export const idempotencyId = (storage: Storage, key: string): string =>
  createHash('sha256').update(`${storage.bucketId}\n${key}`).digest('hex');

const insertReservation = statement<Omit<ReservationsTable, 'alive_at'>>()(
  (query, { id, account_id, replica, bytes, token_id, idempotency_id, started_at, part_of }, { clock: alive_at }) =>
    query
      .insertInto('reservations')
      .values({ id, account_id, replica, bytes, token_id, idempotency_id, started_at, alive_at, part_of }),
);

const forgetKey = statement<{ id: string; before: number }>()((query, { id, before }) =>
  query.deleteFrom('idempotency').where('id', '=', id).where('created_at', '<', before),
);

const insertKey = statement<{ id: string; name: string; token_id: string | null; created_at: number }>()(
  (query, { id, name, token_id, created_at }) =>
    query
      .insertInto('idempotency')
      .values({ id, name, token_id, created_at })
      .onConflict((conflict) => conflict.column('id').doNothing()),
);

const deleteReservation = statement<{ id: string }>()((query, { id }) => query.deleteFrom('reservations').where('id', '=', id));

const keepResult = statement<{ id: string; result: string }>()((query, { id, result }) =>
  query.updateTable('idempotency').set({ result_json: result }).where('id', '=', id),
);

/**
 * Claims the idempotency key, takes the use, holds the quota and notes that this process writes a blob, all or none.
 * @returns the reservation, or the file an earlier upload under the same idempotency key made.
 */
export function reserveUpload(
  context: StorageContext,
  storage: Storage,
  request: ReservationRequest,
): Promise<{ reservation: Reservation } | { earlier: StoredFile }> {
  const { credential, idempotency } = request;
  const tokenId = request.partOf === undefined && credential.kind === 'token' ? credential.id : null;
  const id = newBlobId();
  let committing = false;
  const reserved = context.metadata.write<{ reservation: Reservation } | { earlier: StoredFile }>(
    async (query) => {
      committing = false;
      const now = context.now();
      let claim: string | null = null;
      if (idempotency) {
        claim = idempotencyId(storage, idempotency.key);
        const earlier = await claimIdempotencyKey(query, claim, idempotency, credential, now);
        if (earlier === 'running') throw uploadStillRunning();
        if (earlier !== 'claimed') return { earlier };
      }
      if (tokenId !== null) await takeUse(query, tokenId, now);
      const left = await assertQuota(query, storage.accountId, request.size);
      const bytes = Math.min(request.size, RESERVED_AHEAD);
      await request.precheck?.(query);
      await insertReservation.run(query, {
        id,
        account_id: storage.accountId,
        replica: context.replica,
        bytes,
        token_id: tokenId,
        idempotency_id: claim,
        started_at: now,
        part_of: request.partOf ?? null,
      });
      committing = true;
      return { reservation: { id, startedAt: now, idempotencyId: claim, reservedBytes: left === Infinity ? undefined : bytes } };
    },
    { durable: false },
  );
  const flushed = reserved.then(async (result) => {
    // The answer to a repeat promises what the answer to the first upload would.
    if ('earlier' in result) await context.metadata.flushed();
    return result;
  });
  return flushed.catch((cause: unknown) => {
    // A commit whose answer is lost may have taken all of it, for nobody. A full disk took nothing.
    if (committing && !isDatabaseFull(cause)) context.pendingReleases.add(id);
    throw cause;
  });
}

export const uploadStillRunning = (): BlobError =>
  new BlobError('OPERATION_IN_PROGRESS', 'An upload with this idempotency key is still running.', {
    details: { retry_after: 1 },
  });

/** @returns the earlier upload's file when the key has done its work. @throws when it belongs to another file. */
export async function claimIdempotencyKey(
  query: Query,
  id: string,
  idempotency: Idempotency,
  credential: Credential,
  now: number,
): Promise<'claimed' | 'running' | StoredFile> {
  await forgetKey.run(query, { id, before: now - IDEMPOTENCY.keepSeconds * 1000 });
  const token_id = credential.kind === 'token' ? credential.id : null;
  if ((await insertKey.run(query, { id, name: idempotency.name, token_id, created_at: now })) > 0) return 'claimed';
  const row = await query.selectFrom('idempotency').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  if (row.name !== idempotency.name) throw idempotencyKeyReused('belongs to an upload with another name');
  if (row.result_json === null) return 'running';
  await assertMayRepeat(query, credential, row.token_id, now);
  return JSON.parse(row.result_json) as StoredFile;
}

export const idempotencyKeyReused = (why: string): BlobError =>
  new BlobError('IDEMPOTENCY_KEY_REUSED', `This Idempotency-Key ${why}.`);

/** This process was paused or cut off from the database for longer than `DEAD_AFTER`. */
export const uploadAbandoned = (): BlobError =>
  new BlobError('SERVICE_UNAVAILABLE', 'The upload was interrupted for too long. Try again.', {
    details: { retry_after: RETRY_AFTER_SECONDS },
  });

/** Part of the commit. @throws when a sweep took this process for dead and undid the upload. */
export async function settleReservation(query: Query, reservation: Reservation, result: StoredFile | undefined): Promise<void> {
  if ((await deleteReservation.run(query, { id: reservation.id })) === 0) throw uploadAbandoned();
  if (reservation.idempotencyId !== null && result)
    await keepResult.run(query, { id: reservation.idempotencyId, result: JSON.stringify(result) });
}

/**
 * Undoes a reservation: the use and the idempotency key are free again and the blob waits for its deletion. Does nothing when the upload
 * was committed, so it is right also when the outcome of a commit is unknown.
 * @param why what the upload failed with. If the store did not answer, the blob is left to the sweep: asking again would only take as long.
 */
export async function releaseReservation(context: StorageContext, id: string, why?: unknown): Promise<void> {
  try {
    await undo(context, id, isStoreUnavailable(why));
    context.pendingReleases.delete(id);
  } catch (cause) {
    // A full disk, a database that is away: nobody but this process knows that the upload is over.
    context.pendingReleases.add(id);
    // Its bytes make the room in which the row can go. While that stands, no commit has used them.
    if (isDatabaseFull(cause) && (await isReserved(context, id))) await context.bytes.delete([id]);
    throw cause;
  }
}

/**
 * Undoes a reservation of another process, unless that process has given a sign of life since it was judged. The sweep deletes the blob later.
 * @param before signs of life from before this time do not count. @returns whether it was undone
 */
export const releaseDeadReservation = (context: StorageContext, id: string, before: Expression<number>): Promise<boolean> =>
  context.metadata.write((query) => releaseRow(context, query, id, before));

async function undo(context: StorageContext, id: string, isStoreAway: boolean): Promise<void> {
  const released = await context.metadata.write((query) => releaseRow(context, query, id));
  if (released && isStoreAway) return;
  // No reservation: either the upload was committed, or a sweep undid it before the last of the bytes came.
  if (!released && (await isCommitted(context, id))) return;
  await context.bytes.delete([id]);
  await context.metadata.write((query) => query.deleteFrom('blobs').where('id', '=', id).where('refs', '=', 0).execute(), {
    durable: false,
  });
}

async function isReserved(context: StorageContext, id: string): Promise<boolean> {
  return (
    (await context.metadata.db.selectFrom('reservations').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
  );
}

async function isCommitted(context: StorageContext, id: string): Promise<boolean> {
  return (await context.metadata.db.selectFrom('blobs').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

async function releaseRow(
  { metadata }: StorageContext,
  query: Query,
  id: string,
  lastSignBefore?: Expression<number>,
): Promise<boolean> {
  let released = query.deleteFrom('reservations').where('id', '=', id);
  if (lastSignBefore) released = released.where('alive_at', '<', lastSignBefore);
  const row = await released.returningAll().executeTakeFirst();
  if (!row) return false;
  if (row.idempotency_id !== null)
    await query.deleteFrom('idempotency').where('id', '=', row.idempotency_id).where('result_json', 'is', null).execute();
  if (row.token_id !== null) await giveUseBack(query, row.token_id);
  await query.insertInto('blobs').values({ id, size: 0, sha256: '', refs: 0, freed_at: metadata.clock }).execute();
  return true;
}
