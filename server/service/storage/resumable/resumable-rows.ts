import type { Selectable } from 'kysely';
import { BlobError } from '../../../../src/protocol/errors.js';
import { RESUMABLE } from '../../../../src/protocol/limits.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import type { ResumablesTable } from '../../drivers/metadata/tables.js';
import type { FileProperties, Hasher, Idempotency, StoredFile, Upload } from '../types.js';
import type { StorageContext } from '../context.js';
import type { Credential, Storage } from '../../identity/credential.js';
import { idempotencyKeyReused, uploadStillRunning } from '../uploads/idempotency.js';

/** A resumable upload. A finished one is kept for a day. Sizes in bytes, times in ms since 1970. */
export interface Resumable extends Storage {
  id: string;
  key: string;
  length: number;
  /** Durable bytes. */
  offset: number;
  properties: FileProperties;
  overwrite: boolean;
  /** The credential that created the upload. */
  credential: Credential;
  /** The `Upload-Metadata` header of the creation, verbatim. */
  uploadMetadata: string;
  /** SHA-256 in hex that the whole upload must have. */
  digest: string | null;
  createdAt: number;
  expiresAt: number;
  /** The stored file of a finished upload. */
  file: StoredFile | null;
}

export interface NewResumable {
  length: number;
  properties: FileProperties;
  overwrite: boolean;
  credential: Credential;
  /** Size limit of the credential. The credential is validated first, so that an invalid one does not learn the limit. */
  maxSize?: number;
  uploadMetadata: string;
  digest?: string;
  idempotency?: Idempotency;
}

export interface AppendOptions {
  /** The credential of this request. */
  credential: Credential;
  /** The offset that the client states. */
  offset: number;
  /** A digest of the bytes of this request. They are stored together or not at all. */
  checksum?: { hasher: Hasher; check(digest: string): void };
  /** SHA-256 of the whole upload, hex. */
  digest?: string;
}

type Row = Selectable<ResumablesTable>;

export const toResumable = (row: Row): Resumable => ({
  id: row.id,
  accountId: row.account_id,
  bucketId: row.bucket_id,
  key: row.key,
  length: row.length,
  offset: row.stored,
  properties: JSON.parse(row.properties_json) as FileProperties,
  overwrite: row.overwrite === 1,
  credential: { kind: row.credential_kind, id: row.credential_id },
  uploadMetadata: row.described,
  digest: row.digest,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  file: row.file_json === null ? null : (JSON.parse(row.file_json) as StoredFile),
});

/** @returns undefined if the upload is unknown, expired or aborted. */
export async function findResumable(
  { metadata, now }: StorageContext,
  storage: Storage,
  id: string,
): Promise<Resumable | undefined> {
  const row = await metadata.db
    .selectFrom('resumables')
    .selectAll()
    .where('bucket_id', '=', storage.bucketId)
    .where('id', '=', id)
    .where('expires_at', '>', now())
    .executeTakeFirst();
  // The client may delete its own copy after the response, so the file must be durable.
  if (row?.file_json != null) await metadata.flushed();
  return row && toResumable(row);
}

/**
 * Inserts the row of a resumable upload, in addition to the row in `uploads` whose parts are the pieces.
 * @param options.idempotencyId id of the row of the idempotency key.
 */
export async function insertResumable(
  query: Query,
  upload: Upload,
  options: NewResumable,
  { idempotencyId, expiresAt }: { idempotencyId: string | null; expiresAt: number },
): Promise<Resumable> {
  const row = await query
    .insertInto('resumables')
    .values({
      id: upload.id,
      account_id: upload.accountId,
      bucket_id: upload.bucketId,
      key: upload.key,
      length: options.length,
      stored: 0,
      pieces: 0,
      credential_kind: upload.credential.kind,
      credential_id: upload.credential.id,
      properties_json: JSON.stringify(upload.properties),
      overwrite: options.overwrite ? 1 : 0,
      described: options.uploadMetadata,
      digest: options.digest ?? null,
      idempotency_id: idempotencyId,
      created_at: upload.createdAt,
      expires_at: expiresAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toResumable(row);
}

export const offsetMismatch = (offset: number | undefined): BlobError =>
  new BlobError(
    'UPLOAD_OFFSET_MISMATCH',
    'The upload has another offset, or a newer request continues it. Continue from the offset that HEAD returns.',
    {
      details: offset === undefined ? {} : { offset },
    },
  );

/**
 * Moves the offset in the transaction that commits a piece.
 * @throws `UPLOAD_OFFSET_MISMATCH` if a newer request continues the upload.
 */
export async function moveOffset(
  query: Query,
  id: string,
  step: { writer: string; number: number; from: number; to: number; expiresAt: number },
  now: number,
): Promise<void> {
  const expires_at = step.expiresAt;
  const moved = await query
    .updateTable('resumables')
    .set({ stored: step.to, pieces: step.number, expires_at })
    .where('id', '=', id)
    .where('writer', '=', step.writer)
    .where('stored', '=', step.from)
    .returning('idempotency_id')
    .executeTakeFirst();
  if (!moved) throw offsetMismatch(undefined);
  await query.updateTable('uploads').set({ expires_at }).where('id', '=', id).execute();
  if (moved.idempotency_id !== null)
    await query.updateTable('idempotency').set({ created_at: now }).where('id', '=', moved.idempotency_id).execute();
}

/** Stores the result of an upload in the transaction that commits its file. */
export async function endResumable(query: Query, id: string, file: StoredFile, now: number): Promise<void> {
  const result = JSON.stringify(file);
  const ended = await query
    .updateTable('resumables')
    .set({ file_json: result, writer: null, expires_at: now + RESUMABLE.keepSeconds * 1000 })
    .where('id', '=', id)
    .returning('idempotency_id')
    .executeTakeFirstOrThrow();
  if (ended.idempotency_id !== null)
    await query
      .updateTable('idempotency')
      .set({ result_json: result, created_at: now })
      .where('id', '=', ended.idempotency_id)
      .execute();
}

/**
 * Finds the upload that an earlier request created with the same idempotency key.
 * @throws `IDEMPOTENCY_KEY_REUSED` for another length, `OPERATION_IN_PROGRESS` if the earlier upload runs on another route.
 */
export async function earlierUpload(
  query: Query,
  idempotencyId: string,
  earlier: 'running' | StoredFile,
  length: number,
): Promise<Resumable | StoredFile> {
  const row = await query.selectFrom('resumables').selectAll().where('idempotency_id', '=', idempotencyId).executeTakeFirst();
  if (!row && earlier === 'running') throw uploadStillRunning();
  const earlierLength = row ? row.length : (earlier as StoredFile).size;
  if (earlierLength !== length) throw idempotencyKeyReused('belongs to an upload of another length');
  return row ? toResumable(row) : (earlier as StoredFile);
}

export const resumableNotFound = () => new BlobError('NOT_FOUND', 'There is no such upload.');

export const uploadFinished = (key: string) =>
  new BlobError('FILE_EXISTS', 'The upload has finished. Its file stays.', { details: { path: key } });

export const digestMismatch = (expected: string, actual: string) =>
  new BlobError('CHECKSUM_MISMATCH', 'The bytes that arrived do not match the stated digest.', {
    details: { expected, actual },
  });
