import { newId } from '../../runtime/ids.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import { pick, statement } from '../../drivers/metadata/prepared-query.js';
import { assertConditions } from '../files/conditions.js';
import type { StorageContext } from '../context.js';
import { isLive, lockFileByKey } from '../files/lock-file.js';
import { recordBlob, changeReferences } from '../files/blob-references.js';
import type { ReferenceChanges } from '../files/blob-references.js';
import { assertRule, ruleFor, applyRuleDefaults } from './upload-rules.js';
import { FILE_COLUMNS, propertyColumns, segmentsOf, toStoredFile } from '../files/file-rows.js';
import type { FileRow, Segment } from '../files/file-rows.js';
import type { BodySummary, Conditions, FileProperties, PutOptions, StoredFile } from '../types.js';
import { addUsage } from '../files/usage.js';
import type { Storage } from '../../identity/credential.js';

/** What makes a file besides its properties. */
export type FileContent = Pick<StoredFile, 'size' | 'sha256' | 'etag' | 'checksums' | 'checksumType' | 'parts'> & {
  segments: Segment[];
};

const insertFile = statement<FileRow>()((query, row) =>
  query
    .insertInto('files')
    .values(pick(row, FILE_COLUMNS))
    .onConflict((conflict) => conflict.columns(['bucket_id', 'key']).doNothing()),
);

/** Makes a file of one body, whose durable blob nobody refers to yet. */
export async function commitBody(
  context: StorageContext,
  query: Query,
  storage: Storage,
  key: string,
  { id, facts, options }: { id: string; facts: BodySummary; options: PutOptions },
): Promise<{ file: StoredFile; replaced: boolean }> {
  await recordBlob(query, id, facts);
  return commitFile(context, query, storage, key, {
    properties: options,
    content: {
      ...facts,
      etag: facts.md5,
      checksumType: Object.keys(facts.checksums).length > 0 ? 'FULL_OBJECT' : null,
      parts: null,
      segments: [[id, facts.size]],
    },
    conditions: options,
  });
}

/**
 * Makes the file at a key, replacing what stands there: the one moment at which a file exists. Its blobs must be durable and stand in `blobs`
 * already (in this transaction); `refs` counts what a transaction changes beside what is replaced.
 */
export async function commitFile(
  context: StorageContext,
  query: Query,
  storage: Storage,
  key: string,
  file: { properties: FileProperties; content: FileContent; conditions: Conditions; refs?: ReferenceChanges },
): Promise<{ file: StoredFile; replaced: boolean }> {
  const now = context.now();
  const { content } = file;
  const rule = await ruleFor(query, storage.bucketId, key);
  assertRule(rule, key, content.size);
  const columns = {
    ...propertyColumns(applyRuleDefaults(rule, file.properties, now)),
    size: content.size,
    sha256: content.sha256,
    etag: content.etag,
    checksums_json: JSON.stringify(content.checksums),
    checksum_type: content.checksumType,
    parts_json: content.parts && JSON.stringify(content.parts),
    segments_json: JSON.stringify(content.segments),
    updated_at: now,
  };
  // Twice at most: where writers run side by side, another may make the file between our look and our insert.
  for (;;) {
    const existing = await lockFileByKey(query, storage.bucketId, key);
    const live = isLive(existing, now);
    assertConditions(live ? existing : undefined, key, file.conditions);
    let row: FileRow | undefined;
    if (existing) {
      // One that has expired was another file: it keeps neither its id nor its date.
      const identity = live ? {} : { id: newId('file'), created_at: now };
      row = await query
        .updateTable('files')
        .set({ ...columns, ...identity })
        .where('id', '=', existing.id)
        .returningAll()
        .executeTakeFirstOrThrow();
    } else {
      const { accountId: account_id, bucketId: bucket_id } = storage;
      const fresh = { ...columns, id: newId('file'), account_id, bucket_id, key, created_at: now };
      if ((await insertFile.run(query, fresh)) > 0) row = fresh;
    }
    if (!row) continue;
    const { added, dropped = [] } = file.refs ?? {};
    const before = existing ? segmentsOf(existing) : [];
    await changeReferences(context, query, { ...(added && { added }), dropped: [...dropped, ...before] });
    const isPublic = (one: FileRow | undefined) => (one?.visibility === 'public' ? 1 : 0);
    await addUsage(query, storage.accountId, {
      files: existing ? 0 : 1,
      bytes: row.size - (existing?.size ?? 0),
      publicFiles: isPublic(row) - isPublic(existing),
    });
    return { file: toStoredFile(row), replaced: live };
  }
}
