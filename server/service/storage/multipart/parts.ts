import type { Selectable } from 'kysely';
import { BlobError } from '../../../../src/protocol/errors.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import type { PartsTable } from '../../drivers/metadata/tables.js';
import type { Credential } from '../../identity/credential.js';
import { assertNotRevokedAtCommit } from '../../identity/revocation.js';
import type { StorageContext } from '../context.js';
import { changeReferences, recordBlob } from '../files/blob-references.js';
import { offsetMismatch } from '../resumable/resumable-rows.js';
import type { Body, BodyOptions, BodySummary, ByteRange, OpenedFile, Part, Upload } from '../types.js';
import { accountableCredentials, assertMayContinueUpload } from '../uploads/credential-checks.js';
import { HashingStream } from '../uploads/hashing-stream.js';
import { releaseReservation } from '../uploads/release-reservation.js';
import { reserveUpload, settleReservation } from '../uploads/reservation.js';
import type { Reservation } from '../uploads/reservation.js';
import { reserveQuota } from '../uploads/reserve-quota.js';
import type { UploadHash } from '../uploads/upload-hash.js';
import { lockUpload } from './multipart-uploads.js';

export const toPart = (row: Selectable<PartsTable>): Part => ({
  number: row.number,
  size: row.size,
  etag: row.etag,
  sha256: row.sha256,
  checksums: JSON.parse(row.checksums_json) as Record<string, string>,
  createdAt: row.created_at,
});

export const uploadNotFound = (id: string): BlobError =>
  new BlobError('FILE_NOT_FOUND', 'There is no such upload; it was finished or aborted.', { details: { upload_id: id } });

export interface PartOptions extends BodyOptions {
  /** The credential that sends this part. Any credential that may write the key may continue an upload. @default the creator of the upload */
  credential?: Credential;
}

/** The differences of a piece of a resumable upload: a body that breaks off makes a shorter part, and the commit moves the offset. */
export interface ResumablePart {
  /** Start of the request that sends the piece, ms since 1970. */
  startedAt: number;
  /** Bytes of the piece at most. */
  size: number;
  /** Hash of the whole upload, if this process has received all bytes before. */
  hash: UploadHash | undefined;
  /** Runs in the transaction that commits the piece. */
  commit(query: Query, size: number): Promise<void>;
}

/** Stores or replaces a part: reserves, streams the bytes to the store, commits the row. A failure releases everything. */
export async function putPart(
  context: StorageContext,
  upload: Upload,
  number: number,
  body: Body,
  options: PartOptions,
  resumable?: ResumablePart,
): Promise<Part> {
  const { credential = upload.credential, signal } = options;
  const size = resumable?.size ?? options.size;
  const reserved = await reserveUpload(context, upload, { credential, size: size ?? 0, partOf: upload.id });
  if ('earlier' in reserved) throw new Error('a part has no idempotency key');
  const { reservation } = reserved;
  const stream = new HashingStream({ ...options, uploadHash: resumable?.hash });
  try {
    const withQuota = reserveQuota(context, upload, reservation, body, size);
    await context.bytes.write(reservation.id, stream.passThrough(withQuota), {
      ...(options.size !== undefined && { size: options.size }),
      ...(signal && { signal }),
    });
    const summary = await stream.summary();
    await options.check?.(summary);
    signal?.throwIfAborted();
    return await context.metadata.write((query) =>
      commitPart(context, query, upload, number, { reservation, summary, credential, resumable }),
    );
  } catch (cause) {
    stream.discard();
    await releaseReservation(context, reservation.id, cause).catch(() => {});
    throw cause;
  }
}

async function commitPart(
  context: StorageContext,
  query: Query,
  upload: Upload,
  number: number,
  part: { reservation: Reservation; summary: BodySummary; credential: Credential; resumable: ResumablePart | undefined },
): Promise<Part> {
  const { reservation, summary, credential, resumable } = part;
  const now = context.now();
  if (!(await lockUpload(context, query, upload.id))) throw resumable ? offsetMismatch(undefined) : uploadNotFound(upload.id);
  const startedAt = resumable?.startedAt ?? reservation.startedAt;
  await assertMayContinueUpload(query, upload, { credential, startedAt }, now);
  await resumable?.commit(query, summary.size);
  await recordBlob(query, reservation.id, summary);
  const replacedSize = await deletePartRow(context, query, upload.id, number);
  const row = await query
    .insertInto('parts')
    .values({
      upload_id: upload.id,
      number,
      blob_id: reservation.id,
      size: summary.size,
      etag: summary.md5,
      sha256: summary.sha256,
      checksums_json: JSON.stringify(summary.checksums),
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await query
    .updateTable('uploads')
    .set((e) => ({ bytes: e('bytes', '+', summary.size - replacedSize) }))
    .where('id', '=', upload.id)
    .execute();
  await settleReservation(query, reservation, undefined);
  await assertNotRevokedAtCommit(context.metadata, query, ...accountableCredentials(upload, credential));
  return toPart(row);
}

/** Deletes the row of a part that is replaced. @returns the bytes of the part; 0 if there was none. */
async function deletePartRow(context: StorageContext, query: Query, uploadId: string, number: number): Promise<number> {
  const deleted = await query
    .deleteFrom('parts')
    .where('upload_id', '=', uploadId)
    .where('number', '=', number)
    .returning(['blob_id', 'size'])
    .executeTakeFirst();
  if (!deleted) return 0;
  await changeReferences(context, query, { dropped: [[deleted.blob_id, deleted.size]] });
  return deleted.size;
}

/** Stores a range of a file as a part. Reads and writes the bytes. */
export async function copyPart(
  context: StorageContext,
  upload: Upload,
  number: number,
  source: OpenedFile,
  range: ByteRange,
  options: PartOptions,
): Promise<Part> {
  const body = await source.read(range, options.signal);
  try {
    return await putPart(context, upload, number, body, { ...options, size: range.end - range.start + 1 });
  } finally {
    // A part that is refused before its first byte has not read the source.
    body.destroy();
  }
}

/** Lists the parts of an upload by number. @param options.after number of a part; lists those after it. */
export async function listParts(
  context: StorageContext,
  upload: Upload,
  options: { after?: number; limit?: number } = {},
): Promise<Part[]> {
  let query = context.metadata.db
    .selectFrom('parts')
    .selectAll()
    .where('upload_id', '=', upload.id)
    .where('number', '>', options.after ?? 0)
    .orderBy('number');
  if (options.limit !== undefined) query = query.limit(options.limit);
  return (await query.execute()).map(toPart);
}
