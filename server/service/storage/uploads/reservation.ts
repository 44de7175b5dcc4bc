import { BlobError } from '../../../../src/protocol/errors.js';
import { RETRY_AFTER_SECONDS } from '../../runtime/retry-after.js';
import { isDatabaseFull } from '../../drivers/metadata/metadata.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import { preparedQuery } from '../../drivers/metadata/prepared-queries/prepared-query.js';
import type { ReservationsTable } from '../../drivers/metadata/tables.js';
import type { Credential, Storage } from '../../identity/credential.js';
import { takeUse } from '../../identity/token-uses.js';
import { newBlobId } from '../../runtime/ids.js';
import type { StorageContext } from '../context.js';
import { assertQuota } from '../files/usage.js';
import type { Idempotency, StoredFile } from '../types.js';
import { claimIdempotencyKey, idempotencyIdOf, recordResult, uploadStillRunning } from './idempotency.js';

/** Use, idempotency key and quota that a running upload holds until it commits or is released. */
export interface Reservation {
  /** Also the id of the blob that the upload writes. */
  id: string;
  startedAt: number;
  idempotencyId: string | null;
  /** Bytes reserved in the account's quota; undefined without a quota. `reserveQuota` adds to them. */
  reservedBytes: number | undefined;
}

export interface ReservationRequest {
  credential: Credential;
  /** Bytes that must fit into the quota now; 0 when unknown. At most `RESERVED_AHEAD` of them are reserved before they arrive. */
  size: number;
  /** Key of the file that the body becomes; omitted for a part. */
  key?: string;
  /** Id of the multipart upload that this body is a part of. That upload has taken the token's use. */
  partOf?: string;
  idempotency?: Idempotency;
  /** Runs in the transaction. Throws what refuses the upload before its first byte. */
  precheck?: (query: Query) => Promise<void>;
}

/**
 * Bytes of an announced body that are reserved before they arrive, so that a small body needs no further transaction. Clients that send
 * nothing could fill the quota of others with a larger value.
 */
const RESERVED_AHEAD = 256 * 1024;

const insertReservation = preparedQuery<Omit<ReservationsTable, 'alive_at'>>()(
  (query, { id, account_id, replica, bytes, token_id, idempotency_id, started_at, part_of, bucket_id, key }, dialect) =>
    query.insertInto('reservations').values({
      id,
      account_id,
      replica,
      bytes,
      token_id,
      idempotency_id,
      started_at,
      alive_at: dialect.clock,
      part_of,
      bucket_id,
      key,
    }),
);

const deleteReservation = preparedQuery<{ id: string }>()((query, { id }) =>
  query.deleteFrom('reservations').where('id', '=', id),
);

type ReserveResult = { reservation: Reservation } | { earlier: StoredFile };

/**
 * Claims the idempotency key, takes the token's use, reserves quota, and records that this process writes a blob: all in one transaction,
 * or nothing.
 * @returns the reservation, or the file that an earlier upload with the same idempotency key stored.
 */
export async function reserveUpload(
  context: StorageContext,
  storage: Storage,
  request: ReservationRequest,
): Promise<ReserveResult> {
  const id = newBlobId();
  let isCommitting = false;
  try {
    const result = await context.metadata.write<ReserveResult>(
      async (query) => {
        isCommitting = false;
        const reserved = await reserveInTransaction(context, query, storage, request, id);
        isCommitting = true;
        return reserved;
      },
      { durable: false },
    );
    // The response to a repeat promises the same durability as the first response.
    if ('earlier' in result) await context.metadata.flushed();
    return result;
  } catch (cause) {
    // The commit may have happened although its response was lost. A full disk commits nothing.
    if (isCommitting && !isDatabaseFull(cause)) context.pendingReleases.add(id);
    throw cause;
  }
}

async function reserveInTransaction(
  context: StorageContext,
  query: Query,
  storage: Storage,
  { credential, size, key, partOf, idempotency, precheck }: ReservationRequest,
  id: string,
): Promise<ReserveResult> {
  const now = context.now();
  let idempotencyId: string | null = null;
  if (idempotency) {
    idempotencyId = idempotencyIdOf(storage, idempotency.key);
    const earlier = await claimIdempotencyKey(query, idempotencyId, idempotency, credential, now);
    if (earlier === 'running') throw uploadStillRunning();
    if (earlier !== 'claimed') return { earlier };
  }
  const tokenId = partOf === undefined && credential.kind === 'token' ? credential.id : null;
  if (tokenId !== null) await takeUse(query, tokenId, now);
  const free = await assertQuota(query, storage.accountId, size);
  const bytes = Math.min(size, RESERVED_AHEAD);
  await precheck?.(query);
  await insertReservation.run(query, {
    id,
    account_id: storage.accountId,
    replica: context.replica,
    bytes,
    token_id: tokenId,
    idempotency_id: idempotencyId,
    started_at: now,
    part_of: partOf ?? null,
    bucket_id: storage.bucketId,
    key: key ?? null,
  });
  const hasQuota = free !== Infinity;
  return { reservation: { id, startedAt: now, idempotencyId, reservedBytes: hasQuota ? bytes : undefined } };
}

/**
 * Deletes a reservation in the transaction that commits its upload, and stores the result under the idempotency key.
 * @throws `SERVICE_UNAVAILABLE` if a sweep considered this process dead and released the upload.
 */
export async function settleReservation(query: Query, reservation: Reservation, result: StoredFile | undefined): Promise<void> {
  if ((await deleteReservation.run(query, { id: reservation.id })) === 0) throw uploadAbandoned();
  if (reservation.idempotencyId !== null && result) await recordResult(query, reservation.idempotencyId, result);
}

/** Creates the error of an abandoned upload: the process was paused, or cut off from the database, for longer than `DEAD_AFTER`. */
export const uploadAbandoned = (): BlobError =>
  new BlobError('SERVICE_UNAVAILABLE', 'The upload was interrupted for too long. Try again.', {
    details: { retry_after: RETRY_AFTER_SECONDS },
  });
