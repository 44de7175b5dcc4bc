import type { Selectable } from 'kysely';
import { BlobError } from '../../../../src/protocol/errors.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import type { PartsTable } from '../../drivers/metadata/tables.js';
import type { StorageContext } from '../context.js';
import { reserveQuota } from '../uploads/reserve-quota.js';
import { HashingStream } from '../uploads/hashing-stream.js';
import { recordBlob, changeReferences } from '../files/blob-references.js';
import { reserveUpload, settleReservation } from '../uploads/reservation.js';
import { offsetMismatch } from '../resumable/resumable-rows.js';
import type { Body, BodyOptions, ByteRange, OpenedFile, Part, Upload } from '../types.js';
import { lockUpload } from './multipart-uploads.js';
import type { UploadHash } from '../uploads/upload-hash.js';
import { accountableCredentials, assertMayContinueUpload } from '../uploads/credential-checks.js';
import { assertNotRevokedAtCommit } from '../../identity/revocation.js';
import type { Credential } from '../../identity/credential.js';
import { releaseReservation } from '../uploads/release-reservation.js';

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

/** Whoever may write to the place may go on with an upload: the pair that began it may have ended meanwhile. */
export interface PartOptions extends BodyOptions {
  /** Who sends this part. @default the maker of the upload */
  credential?: Credential;
}

/** How a part of a resumable upload differs: a body that breaks makes a shorter part, and its commit moves the offset. */
export interface ResumablePart {
  /** When the request began that sends it among others. */
  startedAt: number;
  /** Bytes of the part at most. */
  size: number;
  /** Of the whole, as far as this process has seen all of it. */
  hash: UploadHash | undefined;
  commit(query: Query, size: number): Promise<void>;
}

export async function putPart(
  context: StorageContext,
  upload: Upload,
  number: number,
  body: Body,
  options: PartOptions,
  whole?: ResumablePart,
): Promise<Part> {
  const { credential = upload.credential } = options;
  const size = whole?.size ?? options.size;
  const reserved = await reserveUpload(context, upload, { credential, size: size ?? 0, partOf: upload.id });
  if ('earlier' in reserved) throw new Error('a part has no idempotency key');
  const { reservation } = reserved;
  let meter: HashingStream | undefined;
  try {
    meter = new HashingStream({ ...options, whole: whole?.hash });
    const held = reserveQuota(context, upload, reservation, body, size);
    await context.bytes.write(reservation.id, meter.passThrough(held), {
      ...(options.size !== undefined && { size: options.size }),
      ...(options.signal && { signal: options.signal }),
    });
    const facts = await meter.summary();
    await options.check?.(facts);
    options.signal?.throwIfAborted();
    return await context.metadata.write(async (query) => {
      const now = context.now();
      if (!(await lockUpload(context, query, upload.id))) throw whole ? offsetMismatch(undefined) : uploadNotFound(upload.id);
      await assertMayContinueUpload(query, upload, { credential, startedAt: whole?.startedAt ?? reservation.startedAt }, now);
      if (whole) await whole.commit(query, facts.size);
      await recordBlob(query, reservation.id, facts);
      const before = await query
        .deleteFrom('parts')
        .where('upload_id', '=', upload.id)
        .where('number', '=', number)
        .returning(['blob_id', 'size'])
        .executeTakeFirst();
      if (before) await changeReferences(context, query, { dropped: [[before.blob_id, before.size]] });
      const row = await query
        .insertInto('parts')
        .values({
          upload_id: upload.id,
          number,
          blob_id: reservation.id,
          size: facts.size,
          etag: facts.md5,
          sha256: facts.sha256,
          checksums_json: JSON.stringify(facts.checksums),
          created_at: now,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      const more = facts.size - (before?.size ?? 0);
      await query
        .updateTable('uploads')
        .set((e) => ({ bytes: e('bytes', '+', more) }))
        .where('id', '=', upload.id)
        .execute();
      await settleReservation(query, reservation, undefined);
      await assertNotRevokedAtCommit(context.metadata, query, ...accountableCredentials(upload, credential));
      return toPart(row);
    });
  } catch (cause) {
    meter?.discard();
    await releaseReservation(context, reservation.id, cause).catch(() => {});
    throw cause;
  }
}

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
    // What is refused before its first byte has read nothing.
    body.destroy();
  }
}

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
