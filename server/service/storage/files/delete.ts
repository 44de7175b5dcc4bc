import { sql } from 'kysely';
import type { Query } from '../../drivers/metadata/metadata.js';
import { deleteDerived } from '../derived/derived-rows.js';
import { fileDeleted } from '../events/file-event.js';
import { recordEvents } from '../events/record-events.js';
import { isLive, lockFileByKey } from './lock-file.js';
import { assertConditions } from './conditions.js';
import type { StorageContext } from '../context.js';
import { changeReferences } from './blob-references.js';
import { segmentsOf, toStoredFile } from './file-rows.js';
import type { FileRow } from './file-rows.js';
import type { Conditions, StoredFile } from '../types.js';
import { addUsage } from './usage.js';
import { recordActivity } from '../../identity/activities/record-activity.js';
import type { Creator } from '../../identity/creator.js';
import type { Credential, Storage } from '../../identity/credential.js';
import { assertNotRevokedAtCommit } from '../../identity/revocation.js';
import { readValidToken } from '../../identity/token-uses.js';

/**
 * Deletes locked rows and records their events. The sweep deletes their blobs a minute later, after slow readers have finished.
 * @param reason why files that have not expired are deleted.
 */
export async function deleteFileRows(
  context: StorageContext,
  query: Query,
  rows: readonly FileRow[],
  reason: 'deleted' | 'replaced' = 'deleted',
): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map((row) => row.id);
  await query.deleteFrom('files').where('id', 'in', ids).execute();
  await changeReferences(context, query, { dropped: [...rows.flatMap(segmentsOf), ...(await deleteDerived(query, ids))] });
  for (const accountId of [...new Set(rows.map((row) => row.account_id))].toSorted()) {
    const ofAccount = rows.filter((row) => row.account_id === accountId);
    await addUsage(query, accountId, {
      files: -ofAccount.length,
      bytes: -ofAccount.reduce((sum, row) => sum + row.size, 0),
      publicFiles: -ofAccount.filter((row) => row.visibility === 'public').length,
    });
  }
  const now = context.now();
  for (const bucketId of new Set(rows.map((row) => row.bucket_id)))
    await recordEvents(context, query, bucketId, () => {
      const ofBucket = rows.filter((row) => row.bucket_id === bucketId);
      return ofBucket.map((row) => fileDeleted(toStoredFile(row), isLive(row, now) ? reason : 'expired'));
    });
}

const selectFile = (query: Query, { bucketId }: Storage, id: string) =>
  query.selectFrom('files').selectAll().where('bucket_id', '=', bucketId).where('id', '=', id);

/** Paths of deleted files that an entry of the activity log states. */
const MAX_LOGGED_PATHS = 20;

/** Writes an entry of the activity log for deleted files. */
const recordDeletion = (
  query: Query,
  { accountId, bucketId }: Storage,
  rows: readonly FileRow[],
  { creator, now, details }: { creator: Creator; now: number; details?: Record<string, string> },
): Promise<void> =>
  recordActivity(query, creator, now, {
    accountId,
    action: 'files.deleted',
    targetType: 'bucket',
    targetId: bucketId,
    details: { count: rows.length, paths: rows.slice(0, MAX_LOGGED_PATHS).map((row) => row.key), ...details },
  });

/** A full disk must not prevent deletions. */
const FREES_SPACE = { freesSpace: true };

/** Deletes the file at a key. @returns undefined if there was none */
export function deleteKey(
  context: StorageContext,
  storage: Storage,
  key: string,
  conditions: Pick<Conditions, 'ifMatch'> = {},
): Promise<StoredFile | undefined> {
  return context.metadata.write(async (query) => {
    const row = await lockFileByKey(query, storage.bucketId, key);
    const existed = isLive(row, context.now());
    assertConditions(existed ? row : undefined, key, conditions);
    if (!row) return undefined;
    await deleteFileRows(context, query, [row]);
    return existed ? toStoredFile(row) : undefined;
  }, FREES_SPACE);
}

/** A deletion by an upload token. */
export interface TokenDeletion {
  credential: Credential;
  creator: Creator;
}

/**
 * Deletes the file with an id if an upload token stored it. Another file is not found, so that the token reveals nothing.
 * @returns undefined if there was none. @throws `BLOB_UPLOAD_TOKEN_INVALID` for a revoked or expired token. Its uses do not matter.
 */
export function deleteFileOfToken(
  context: StorageContext,
  storage: Storage,
  id: string,
  conditions: Pick<Conditions, 'ifMatch' | 'ifNoneMatch'>,
  { credential, creator }: TokenDeletion,
): Promise<StoredFile | undefined> {
  return context.metadata.write(async (query) => {
    const now = context.now();
    await readValidToken(query, credential.id, now);
    const select = selectFile(query, storage, id).where('token_id', '=', credential.id);
    const row = await context.metadata.forUpdate(select).executeTakeFirst();
    if (!row || !isLive(row, now)) return undefined;
    assertConditions(row, row.key, conditions);
    await deleteFileRows(context, query, [row]);
    await recordDeletion(query, storage, [row], { creator, now, details: { upload_token: credential.id } });
    await assertNotRevokedAtCommit(context.metadata, query, credential);
    return toStoredFile(row);
  }, FREES_SPACE);
}

/** Deletes the file with an id. @returns undefined if there was none */
export function deleteFile(
  context: StorageContext,
  storage: Storage,
  id: string,
  conditions: Pick<Conditions, 'ifMatch' | 'ifNoneMatch'> = {},
): Promise<StoredFile | undefined> {
  return context.metadata.write(async (query) => {
    const row = await context.metadata.forUpdate(selectFile(query, storage, id)).executeTakeFirst();
    if (!row) return undefined;
    const existed = isLive(row, context.now());
    if (existed) assertConditions(row, row.key, conditions);
    await deleteFileRows(context, query, [row]);
    return existed ? toStoredFile(row) : undefined;
  }, FREES_SPACE);
}

/** Bytes of `segments_json` in one transaction, so that files in thousands of parts are deleted a few at a time. */
const MAX_SEGMENT_BYTES = 1024 * 1024;

/** Columns for `select`: id and bytes of `segments_json`. Databases know the length without reading the column. */
export const ID_AND_SEGMENT_BYTES = ['id', sql<number>`octet_length(segments_json)`.as('segment_bytes')] as const;

/** Returns the ids of the first files that one transaction may delete, at least one. */
export function idsOfOneTransaction(files: readonly { id: string; segment_bytes: number }[]): string[] {
  const ids: string[] = [];
  let total = 0;
  for (const { id, segment_bytes } of files) {
    total += Number(segment_bytes);
    if (total > MAX_SEGMENT_BYTES && ids.length > 0) break;
    ids.push(id);
  }
  return ids;
}

/**
 * Deletes files, in several transactions if they have very many parts. Each transaction writes an entry of the activity log.
 * @returns the ids of the deleted files.
 */
export async function deleteFiles(
  context: StorageContext,
  storage: Storage,
  ids: readonly string[],
  creator: Creator,
): Promise<Set<string>> {
  const { db } = context.metadata;
  const existing = db.selectFrom('files').where('bucket_id', '=', storage.bucketId).where('id', 'in', ids);
  const files = await existing.select(ID_AND_SEGMENT_BYTES).orderBy('id').execute();
  const { deleted } = await deleteInBatches(context, storage, files, { creator });
  return new Set(deleted.map((row) => row.id));
}

/** The key of a file to delete. */
export interface KeyToDelete {
  key: string;
  /** Whether the file may be deleted. @default every file */
  isMet?: ((file: StoredFile) => boolean) | undefined;
}

/**
 * Deletes files by their keys, like `deleteFiles`. Missing files are no error.
 * @returns the items whose condition is not met.
 */
export async function deleteKeys(
  context: StorageContext,
  storage: Storage,
  items: readonly KeyToDelete[],
  creator: Creator,
): Promise<Set<KeyToDelete>> {
  const itemsOf = new Map<string, KeyToDelete[]>();
  for (const item of items) itemsOf.set(item.key, [...(itemsOf.get(item.key) ?? []), item]);
  const isMet = (item: KeyToDelete, row: FileRow) => item.isMet?.(toStoredFile(row)) ?? true;
  // A file may be renamed before it is locked.
  const mayDelete = (row: FileRow) => itemsOf.get(row.key)?.some((item) => isMet(item, row)) ?? false;
  const { db } = context.metadata;
  const existing = db
    .selectFrom('files')
    .where('bucket_id', '=', storage.bucketId)
    .where('key', 'in', [...itemsOf.keys()]);
  const files = await existing.select(ID_AND_SEGMENT_BYTES).orderBy('id').execute();
  const { deleted, kept } = await deleteInBatches(context, storage, files, { creator, mayDelete });
  const judged = [...deleted, ...kept];
  return new Set(judged.flatMap((row) => (itemsOf.get(row.key) ?? []).filter((item) => !isMet(item, row))));
}

/** The rows that a deletion found. Expired files are in neither list. */
interface Deletion {
  deleted: FileRow[];
  kept: FileRow[];
}

interface DeletionOptions {
  creator: Creator;
  /** @default every row */
  mayDelete?: (row: FileRow) => boolean;
}

async function deleteInBatches(
  context: StorageContext,
  storage: Storage,
  files: readonly { id: string; segment_bytes: number }[],
  options: DeletionOptions,
): Promise<Deletion> {
  const total: Deletion = { deleted: [], kept: [] };
  let remaining = files;
  while (remaining.length > 0) {
    const batch = idsOfOneTransaction(remaining);
    const { deleted, kept } = await deleteInOneTransaction(context, storage, batch, options);
    total.deleted.push(...deleted);
    total.kept.push(...kept);
    remaining = remaining.slice(batch.length);
  }
  return total;
}

function deleteInOneTransaction(
  context: StorageContext,
  storage: Storage,
  ids: readonly string[],
  { creator, mayDelete = () => true }: DeletionOptions,
): Promise<Deletion> {
  return context.metadata.write(async (query) => {
    const now = context.now();
    const select = query
      .selectFrom('files')
      .selectAll()
      .where('bucket_id', '=', storage.bucketId)
      .where('id', 'in', ids)
      .orderBy('id');
    const rows = await context.metadata.forUpdate(select).execute();
    const kept = rows.filter((row) => isLive(row, now) && !mayDelete(row));
    const removed = rows.filter((row) => !kept.includes(row));
    await deleteFileRows(context, query, removed);
    const deleted = removed.filter((row) => isLive(row, now));
    if (deleted.length > 0) await recordDeletion(query, storage, deleted, { creator, now });
    return { deleted, kept };
  }, FREES_SPACE);
}
