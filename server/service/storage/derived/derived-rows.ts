import type { Selectable } from 'kysely';
import type { BlobError } from '../../../../src/protocol/errors.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import { preparedQuery } from '../../drivers/metadata/prepared-queries/prepared-query.js';
import type { DerivedFilesTable } from '../../drivers/metadata/sharing-tables.js';
import type { Segment } from '../files/file-rows.js';
import type { OpenedFile } from '../types.js';

/** Bytes computed from a stored file, such as a resized image. They do not count towards the quota. */
export interface DerivedFile {
  size: number;
  contentType: string;
  /** Hex, of the derived bytes. */
  sha256: string;
  read: OpenedFile['read'];
}

/** The error that a computation ended with. It is stored, so that the same request does not cost the work again. */
export type DerivationFailure = Pick<BlobError, 'code' | 'message' | 'details'>;

export type DerivedRow = Selectable<DerivedFilesTable>;

export const findDerivedRow = preparedQuery<{ fileId: string; variant: string }>()((query, { fileId, variant }) =>
  query.selectFrom('derived_files').selectAll().where('file_id', '=', fileId).where('variant', '=', variant),
);

/** Lists the blobs of rows. Rows of failures have none. */
export const segmentsOfDerived = (rows: readonly Pick<DerivedRow, 'blob_id' | 'size'>[]): Segment[] =>
  rows.flatMap(({ blob_id, size }): Segment[] => (blob_id === null ? [] : [[blob_id, size]]));

/** Deletes what was derived from files that are deleted or replaced. @returns the blobs, whose references the caller drops. */
export async function deleteDerived(query: Query, fileIds: readonly string[]): Promise<Segment[]> {
  return segmentsOfDerived(
    await query.deleteFrom('derived_files').where('file_id', 'in', fileIds).returning(['blob_id', 'size']).execute(),
  );
}
