import { isUploadFailure, uploadFailed } from '../events/file-event.js';
import { recordEvents } from '../events/record-events.js';
import type { Selectable } from 'kysely';
import { BlobError } from '../../../../src/protocol/errors.js';
import { OPEN_UPLOADS } from '../../../../src/protocol/limits.js';
import { newId } from '../../runtime/ids.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import type { UploadsTable } from '../../drivers/metadata/tables.js';
import type { StorageContext } from '../context.js';
import { changeReferences } from '../files/blob-references.js';
import type { Segment } from '../files/file-rows.js';
import type { FileProperties, Upload } from '../types.js';
import { freeIdempotencyKey } from '../uploads/idempotency.js';
import { giveUseBack, takeUse } from '../../identity/token-uses.js';
import type { Storage } from '../../identity/credential.js';

export const toUpload = (row: Selectable<UploadsTable>): Upload => ({
  id: row.id,
  accountId: row.account_id,
  bucketId: row.bucket_id,
  key: row.key,
  kind: row.kind,
  properties: JSON.parse(row.properties_json) as FileProperties,
  state: JSON.parse(row.state_json) as Record<string, unknown>,
  credential: { kind: row.credential_kind, id: row.credential_id },
  createdAt: row.created_at,
  expiresAt: row.expires_at,
});

type NewUpload = Pick<Upload, 'kind' | 'properties' | 'credential'> & Partial<Pick<Upload, 'state' | 'expiresAt'>>;

/** Creates an upload in parts. @throws as `insertUpload` does. */
export function createUpload(context: StorageContext, storage: Storage, key: string, options: NewUpload): Promise<Upload> {
  return context.metadata.write((query) => insertUpload(query, storage, key, options, context.now()));
}

/**
 * Takes the token's use and inserts the row of an upload.
 * @throws `BLOB_UPLOAD_TOKEN_INVALID`, `RATE_LIMIT_EXCEEDED` if too many uploads are unfinished.
 */
export async function insertUpload(
  query: Query,
  storage: Storage,
  key: string,
  options: NewUpload,
  now: number,
): Promise<Upload> {
  if (options.credential.kind === 'token') await takeUse(query, options.credential.id, now);
  await assertMayOpenUpload(query, storage.accountId, options);
  const row = await query
    .insertInto('uploads')
    .values({
      id: newId('up'),
      account_id: storage.accountId,
      bucket_id: storage.bucketId,
      key,
      kind: options.kind,
      properties_json: JSON.stringify(options.properties),
      state_json: JSON.stringify(options.state ?? {}),
      credential_kind: options.credential.kind,
      credential_id: options.credential.id,
      created_at: now,
      expires_at: options.expiresAt ?? null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toUpload(row);
}

/**
 * Parallel creations may exceed a limit by their number.
 * @throws `RATE_LIMIT_EXCEEDED` with `details.reason` `open_uploads`.
 */
async function assertMayOpenUpload(query: Query, accountId: string, { kind, credential }: NewUpload): Promise<void> {
  const open = query.selectFrom('uploads').select('id').where('account_id', '=', accountId).where('kind', '=', kind);
  const ofCredential = open.where('credential_id', '=', credential.id);
  for (const [uploads, limit, whose] of [
    [ofCredential, OPEN_UPLOADS.perCredential, 'this key'],
    [open, OPEN_UPLOADS.perAccount, 'this account'],
  ] as const)
    if (
      await uploads
        .limit(1)
        .offset(limit - 1)
        .executeTakeFirst()
    )
      throw new BlobError('RATE_LIMIT_EXCEEDED', `${limit} uploads of ${whose} are unfinished: finish or abort some of them.`, {
        details: { reason: 'open_uploads', limit, retry_after: OPEN_UPLOADS.retryAfterSeconds },
      });
}

export async function findUpload(context: StorageContext, storage: Storage, id: string): Promise<Upload | undefined> {
  const row = await context.metadata.db
    .selectFrom('uploads')
    .selectAll()
    .where('bucket_id', '=', storage.bucketId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && toUpload(row);
}

/** Deletes the rows of a locked upload and of its parts. @returns the blobs of the parts. */
export async function deleteUploadRows(query: Query, id: string): Promise<Segment[]> {
  const parts = await query.deleteFrom('parts').where('upload_id', '=', id).returning(['blob_id', 'size']).execute();
  await query.deleteFrom('uploads').where('id', '=', id).execute();
  return parts.map((part) => [part.blob_id, part.size]);
}

/**
 * Deletes an upload, gives the token's use and the idempotency key back, and records its failure.
 * @param cause why the upload failed. @default it was aborted or expired
 * @returns false if it was finished or aborted before.
 */
export async function abortUpload(context: StorageContext, upload: Upload, cause?: unknown): Promise<boolean> {
  return context.metadata.write(async (query) => {
    if (!(await lockUpload(context, query, upload.id))) return false;
    if (upload.kind === 'tus') await removeResumable(query, upload.id);
    if (upload.credential.kind === 'token') await giveUseBack(query, upload.credential.id);
    await changeReferences(context, query, { dropped: await deleteUploadRows(query, upload.id) });
    if (isUploadFailure(cause)) await recordEvents(context, query, upload.bucketId, () => [uploadFailed(upload.key, cause)]);
    return true;
  });
}

/** Deletes the row of an unfinished resumable upload and frees its idempotency key. */
async function removeResumable(query: Query, id: string): Promise<void> {
  const deleted = await query
    .deleteFrom('resumables')
    .where('id', '=', id)
    .where('file_json', 'is', null)
    .returning('idempotency_id')
    .executeTakeFirst();
  if (deleted && deleted.idempotency_id !== null) await freeIdempotencyKey(query, deleted.idempotency_id);
}

/** Locks an upload, so that parts and completion do not run at once. @returns whether the upload still exists. */
export async function lockUpload(context: StorageContext, query: Query, id: string): Promise<boolean> {
  const select = query.selectFrom('uploads').select('id').where('id', '=', id);
  return (await context.metadata.forUpdate(select).executeTakeFirst()) !== undefined;
}
