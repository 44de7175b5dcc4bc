import { BlobError } from '../../../../src/protocol/errors.js';
import type { StorageContext } from '../context.js';
import { readSegments } from '../files/read.js';
import type { StoredFile } from '../types.js';
import { findDerivedRow } from './derived-rows.js';
import type { DerivationFailure, DerivedFile, DerivedRow } from './derived-rows.js';

/** A stored failure counts for this long. A busy machine may have caused it. */
const KEEP_FAILURE_MS = 600_000;
/** The time of the last use is written at most once in this time. */
const USE_INTERVAL_MS = 3_600_000;

/**
 * Finds what was derived from the current bytes of a file.
 * @param variant states how, such as the size of an image.
 * @returns undefined if it must be computed. @throws BlobError with the stored failure.
 */
export async function findDerived(context: StorageContext, file: StoredFile, variant: string): Promise<DerivedFile | undefined> {
  const row = await findDerivedRow.first(context.metadata.db, { fileId: file.id, variant });
  if (row?.source_sha256 !== file.sha256) return undefined;
  const now = context.now();
  if (row.failure_json !== null) {
    if (row.created_at + KEEP_FAILURE_MS <= now) return undefined;
    const { code, message, details } = JSON.parse(row.failure_json) as DerivationFailure;
    throw new BlobError(code, message, { details });
  }
  if (row.used_at + USE_INTERVAL_MS <= now) void recordUse(context, row.id, now).catch(() => {});
  return toDerivedFile(context, row);
}

export function toDerivedFile(context: StorageContext, { blob_id, size, content_type, sha256 }: DerivedRow): DerivedFile {
  return {
    size,
    contentType: content_type,
    sha256,
    read: (range = { start: 0, end: size - 1 }, signal) => readSegments(context, [[blob_id!, size]], range, signal),
  };
}

/** The cache keeps what was used last. A lost update only makes an entry look older. */
const recordUse = ({ metadata }: StorageContext, id: string, now: number): Promise<unknown> =>
  metadata.write((query) => query.updateTable('derived_files').set({ used_at: now }).where('id', '=', id).execute(), {
    durable: false,
  });
