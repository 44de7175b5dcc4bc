import type { Selectable } from 'kysely';
import { BlobError } from '../../../../src/protocol/errors.js';
import { RESUMABLE } from '../../../../src/protocol/limits.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import type { ResumablesTable } from '../../drivers/metadata/tables.js';
import type { FileProperties, Hasher, Idempotency, StoredFile, Upload } from '../types.js';
import type { Credential, Storage } from '../../identity/credential.js';
import { idempotencyKeyReused, uploadStillRunning } from '../uploads/idempotency.js';

/** A resumable upload, running or (for a day) finished. Sizes in bytes, times in ms since 1970. */
export interface Resumable extends Storage {
  id: string;
  key: string;
  length: number;
  /** Durable bytes. */
  offset: number;
  properties: FileProperties;
  overwrite: boolean;
  /** Who made it. */
  credential: Credential;
  /** What the client said of the file, as it said it. */
  uploadMetadata: string;
  /** SHA-256 the whole has to have, hex. */
  digest: string | null;
  createdAt: number;
  expiresAt: number;
  /** The stored file once it has finished. */
  file: StoredFile | null;
}

export interface NewResumable {
  length: number;
  properties: FileProperties;
  overwrite: boolean;
  credential: Credential;
  /** Of the credential: refused as too large only after it was found valid. */
  maxSize?: number;
  uploadMetadata: string;
  digest?: string;
  idempotency?: Idempotency;
}

export interface AppendOptions {
  /** Who sends. */
  credential: Credential;
  /** Where the client believes the upload to stand. */
  offset: number;
  /** A digest of this request's bytes: they are stored together or not at all. */
  checksum?: { hasher: Hasher; check(digest: string): void };
  /** SHA-256 of the whole, hex. */
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

/** Notes a resumable upload beside the (new) upload whose parts are its pieces. @param claim of its idempotency key. */
export async function insertResumable(
  query: Query,
  upload: Upload,
  options: NewResumable,
  { claim, expiresAt }: { claim: string | null; expiresAt: number },
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
      idempotency_id: claim,
      created_at: upload.createdAt,
      expires_at: expiresAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toResumable(row);
}

export const offsetMismatch = (offset: number | undefined): BlobError =>
  new BlobError('UPLOAD_OFFSET_MISMATCH', 'The upload stands elsewhere, or a newer request goes on with it.', {
    details: offset === undefined ? {} : { offset },
  });

/** Part of a piece's commit. @throws `UPLOAD_OFFSET_MISMATCH` when a newer request goes on with the upload. */
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

/** Part of the file's commit. */
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

/** What an earlier creation under the same idempotency key made. @throws when it was of another length, or runs on another route. */
export async function earlierUpload(
  query: Query,
  claim: string,
  earlier: 'running' | StoredFile,
  length: number,
): Promise<Resumable | StoredFile> {
  const row = await query.selectFrom('resumables').selectAll().where('idempotency_id', '=', claim).executeTakeFirst();
  const before = row ? row.length : earlier === 'running' ? undefined : earlier.size;
  if (before === undefined) throw uploadStillRunning();
  if (before !== length) throw idempotencyKeyReused('belongs to an upload of another length');
  return row ? toResumable(row) : (earlier as StoredFile);
}

export const resumableNotFound = () => new BlobError('NOT_FOUND', 'There is no such upload.');

export const uploadFinished = (key: string) =>
  new BlobError('FILE_EXISTS', 'The upload has finished; its file stays.', { details: { path: key } });

export const digestMismatch = (expected: string, actual: string) =>
  new BlobError('CHECKSUM_MISMATCH', 'The bytes that arrived are not the ones the digest states.', {
    details: { expected, actual },
  });
