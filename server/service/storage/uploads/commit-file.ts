import type { Query } from '../../drivers/metadata/metadata.js';
import { pick, preparedQuery } from '../../drivers/metadata/prepared-queries/prepared-query.js';
import { tokenIdOf } from '../../identity/credential.js';
import type { Storage } from '../../identity/credential.js';
import { newId } from '../../runtime/ids.js';
import type { StorageContext } from '../context.js';
import { deleteDerived } from '../derived/derived-rows.js';
import { changeReferences, recordBlob } from '../files/blob-references.js';
import type { ReferenceChanges } from '../files/blob-references.js';
import { fileCreated, fileDeleted, fileUpdated } from '../events/file-event.js';
import { recordEvents } from '../events/record-events.js';
import { assertConditions } from '../files/conditions.js';
import { FILE_COLUMNS, propertyColumns, segmentsOf, toStoredFile } from '../files/file-rows.js';
import type { FileRow, Segment } from '../files/file-rows.js';
import { isLive, lockFileByKey } from '../files/lock-file.js';
import { addUsage } from '../files/usage.js';
import type { BodySummary, Conditions, FileProperties, PutOptions, StoredFile } from '../types.js';
import { applyRuleDefaults, assertRule, ruleFor } from './upload-rules.js';

/** The bytes of a file, as its row describes them. */
export type FileContent = Pick<StoredFile, 'size' | 'sha256' | 'etag' | 'checksums' | 'checksumType' | 'parts'> & {
  segments: Segment[];
};

export interface NewFile {
  /** The upload token that stores the file, and may delete it with `allow_delete`; null for other credentials. */
  tokenId: string | null;
  properties: FileProperties;
  content: FileContent;
  conditions: Conditions;
  /** References that the same transaction adds or drops, apart from those of the replaced file. */
  references?: ReferenceChanges;
  /** The row whose bytes the file shares, and so its state of the virus scan. Omitted for new bytes. */
  scanned?: Pick<FileRow, 'scan' | 'scan_signature'>;
}

const insertFile = preparedQuery<FileRow>()((query, row) =>
  query
    .insertInto('files')
    .values(pick(row, FILE_COLUMNS))
    .onConflict((conflict) => conflict.columns(['bucket_id', 'key']).doNothing()),
);

/** Commits a file that consists of one new blob. */
export async function commitBody(
  context: StorageContext,
  query: Query,
  storage: Storage,
  key: string,
  { id, summary, options }: { id: string; summary: BodySummary; options: PutOptions },
): Promise<{ file: StoredFile; replaced: boolean }> {
  await recordBlob(query, id, summary);
  return commitFile(context, query, storage, key, {
    tokenId: tokenIdOf(options.credential),
    properties: options,
    content: {
      ...summary,
      etag: summary.md5,
      checksumType: Object.keys(summary.checksums).length > 0 ? 'FULL_OBJECT' : null,
      parts: null,
      segments: [[id, summary.size]],
    },
    conditions: options,
  });
}

/**
 * Writes the row of a file, or replaces the file at its key. The file exists from the commit of this transaction. Its blobs must be durable
 * and recorded in `blobs` before, in this transaction or an earlier one.
 * @throws what the conditions and the folder's rule refuse.
 */
export async function commitFile(
  context: StorageContext,
  query: Query,
  storage: Storage,
  key: string,
  file: NewFile,
): Promise<{ file: StoredFile; replaced: boolean }> {
  const now = context.now();
  const rule = await ruleFor(query, storage.bucketId, key);
  assertRule(rule, key, file.content.size);
  const columns = columnsOf(context, { ...file, properties: applyRuleDefaults(rule, file.properties, now) }, now);
  // Rarely more than two rounds: on PostgreSQL another writer may insert the row between the lock and the insert.
  for (;;) {
    const existing = await lockFileByKey(query, storage.bucketId, key);
    const isReplaced = isLive(existing, now);
    assertConditions(isReplaced ? existing : undefined, key, file.conditions);
    const row = existing
      ? await replaceRow(query, existing, columns, isReplaced, now)
      : await insertRow(query, storage, key, columns, now);
    if (!row) continue;
    await recordChange(context, query, { row, existing, references: file.references });
    if (row.scan_due_at !== null) context.reportPendingScan();
    const stored = toStoredFile(row);
    await recordEvents(context, query, storage.bucketId, () => {
      if (isReplaced) return [fileUpdated(stored)];
      const expired = existing ? [fileDeleted(toStoredFile(existing), 'expired')] : [];
      return [...expired, fileCreated(stored)];
    });
    return { file: stored, replaced: isReplaced };
  }
}

type FileColumns = Omit<FileRow, 'id' | 'account_id' | 'bucket_id' | 'key' | 'created_at'>;

const columnsOf = (context: StorageContext, { tokenId, properties, content, scanned }: NewFile, now: number): FileColumns => ({
  ...propertyColumns(properties),
  size: content.size,
  sha256: content.sha256,
  etag: content.etag,
  checksums_json: JSON.stringify(content.checksums),
  checksum_type: content.checksumType,
  parts_json: content.parts && JSON.stringify(content.parts),
  segments_json: JSON.stringify(content.segments),
  updated_at: now,
  token_id: tokenId,
  ...context.scanPolicy.newColumns(scanned, now),
});

function replaceRow(query: Query, existing: FileRow, columns: FileColumns, isLiveFile: boolean, now: number): Promise<FileRow> {
  // An expired file was another file, so its id and date do not stay.
  const identity = isLiveFile ? {} : { id: newId('file'), created_at: now };
  return query
    .updateTable('files')
    .set({ ...columns, ...identity })
    .where('id', '=', existing.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** @returns undefined if another writer has inserted a row at the key. */
async function insertRow(
  query: Query,
  { accountId: account_id, bucketId: bucket_id }: Storage,
  key: string,
  columns: FileColumns,
  now: number,
): Promise<FileRow | undefined> {
  const row = { ...columns, id: newId('file'), account_id, bucket_id, key, created_at: now };
  return (await insertFile.run(query, row)) > 0 ? row : undefined;
}

/** Updates references and the account's sums after a row was inserted or replaced. */
async function recordChange(
  context: StorageContext,
  query: Query,
  change: { row: FileRow; existing: FileRow | undefined; references: ReferenceChanges | undefined },
): Promise<void> {
  const { row, existing, references: { added, dropped = [] } = {} } = change;
  const replaced = existing ? [...segmentsOf(existing), ...(await deleteDerived(query, [existing.id]))] : [];
  await changeReferences(context, query, { ...(added && { added }), dropped: [...dropped, ...replaced] });
  const publicCount = (file: FileRow | undefined) => (file?.visibility === 'public' ? 1 : 0);
  await addUsage(query, row.account_id, {
    files: existing ? 0 : 1,
    bytes: row.size - (existing?.size ?? 0),
    publicFiles: publicCount(row) - publicCount(existing),
  });
}
