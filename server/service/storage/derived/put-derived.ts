import { createHash } from 'node:crypto';
import type { Query } from '../../drivers/metadata/metadata.js';
import { newBlobId, newId } from '../../runtime/ids.js';
import type { StorageContext } from '../context.js';
import { changeReferences, recordBlob } from '../files/blob-references.js';
import { fileNotFound, lockFileById } from '../files/lock-file.js';
import type { StoredFile } from '../types.js';
import { deleteUnlessCommitted } from '../uploads/put-small.js';
import { findDerivedRow, segmentsOfDerived } from './derived-rows.js';
import type { DerivationFailure, DerivedFile, DerivedRow } from './derived-rows.js';
import { toDerivedFile } from './find-derived.js';

/**
 * Stores what was derived from a file. If another replica was faster, returns its result, so that all responses have the same bytes.
 * @throws `FILE_NOT_FOUND` if the file was deleted or replaced meanwhile.
 */
export async function putDerived(
  context: StorageContext,
  file: StoredFile,
  variant: string,
  { bytes, contentType }: { bytes: Uint8Array; contentType: string },
): Promise<DerivedFile> {
  const id = newBlobId();
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const size = bytes.byteLength;
  context.unrecordedBlobs.add(id);
  try {
    await context.bytes.write(id, bytes);
    const columns = { blob_id: id, size, content_type: contentType, sha256, failure_json: null };
    const row = await context.metadata.write(
      async (query) => {
        const { row: written, isNew } = await writeRow(context, query, file, variant, columns);
        if (isNew) await recordBlob(query, id, { size, sha256 });
        return written;
      },
      { durable: false },
    );
    if (row.blob_id !== id) await context.bytes.delete([id]);
    return toDerivedFile(context, row);
  } catch (cause) {
    await deleteUnlessCommitted(context, id).catch(() => {});
    throw cause;
  } finally {
    context.unrecordedBlobs.delete(id);
  }
}

/** Stores that the computation failed. @throws `FILE_NOT_FOUND` as `putDerived` does. */
export async function putDerivationFailure(
  context: StorageContext,
  file: StoredFile,
  variant: string,
  { code, message, details }: DerivationFailure,
): Promise<void> {
  const failure_json = JSON.stringify({ code, message, details });
  const columns = { blob_id: null, size: 0, content_type: '', sha256: '', failure_json };
  await context.metadata.write((query) => writeRow(context, query, file, variant, columns), { durable: false });
}

/** Writes the row of a variant unless another replica has stored bytes for it. The lock on the file keeps its deletion from missing the row. */
async function writeRow(
  context: StorageContext,
  query: Query,
  file: StoredFile,
  variant: string,
  columns: Pick<DerivedRow, 'blob_id' | 'size' | 'content_type' | 'sha256' | 'failure_json'>,
): Promise<{ row: DerivedRow; isNew: boolean }> {
  const current = await lockFileById(context, query, file, file.id);
  if (current.sha256 !== file.sha256) throw fileNotFound({ id: file.id });
  const existing = await findDerivedRow.first(query, { fileId: file.id, variant });
  if (existing?.source_sha256 === file.sha256 && existing.failure_json === null) return { row: existing, isNew: false };
  if (existing) {
    await query.deleteFrom('derived_files').where('id', '=', existing.id).execute();
    await changeReferences(context, query, { dropped: segmentsOfDerived([existing]) });
  }
  const now = context.now();
  const key = { id: newId('derived'), file_id: file.id, variant, source_sha256: file.sha256 };
  const row = { ...key, ...columns, created_at: now, used_at: now };
  await query.insertInto('derived_files').values(row).execute();
  return { row, isNew: true };
}
