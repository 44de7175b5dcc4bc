import { assertStillAllowed } from '../uploads/credential-checks.js';
import { commitFile } from '../uploads/commit-file.js';
import type { StorageContext } from '../context.js';
import { HashingStream } from '../uploads/hashing-stream.js';
import { readSegments, rowById } from './read.js';
import { mergeProperties, segmentsOf, toStoredFile } from './file-rows.js';
import type { FileRow } from './file-rows.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import type { Conditions, CopyOptions, FileProperties, PutResult, StoredFile } from '../types.js';
import { fileNotFound, lockFileAndTarget } from './lock-file.js';
import { assertFitsQuota, lockQuota } from './usage.js';
import { assertNotRevokedAtCommit } from '../../identity/revocation.js';
import type { Storage } from '../../identity/credential.js';

/** Copies a file: the new row refers to the same blobs. */
export async function copyFile(
  context: StorageContext,
  from: Storage,
  sourceId: string,
  to: Storage,
  key: string,
  options: CopyOptions,
): Promise<PutResult> {
  const computed = options.hashers && (await hashSource(context, from, sourceId, options));
  return context.metadata.write(async (query) => {
    const now = context.now();
    await assertStillAllowed(query, options.credential, now, now);
    const quota = await lockQuota(query, to.accountId);
    const { row } = await lockFileAndTarget(context, query, { storage: from, id: sourceId }, { storage: to, key });
    const source = toStoredFile(row);
    const checksums: Pick<StoredFile, 'checksums' | 'checksumType'> = computed
      ? { checksums: computed, checksumType: 'FULL_OBJECT' }
      : source;
    const properties = mergeProperties(source, options);
    const committed = await copyRow(context, query, { row, to, key, conditions: options, quota, properties, checksums });
    await assertNotRevokedAtCommit(context.metadata, query, options.credential);
    return { ...committed, repeated: false };
  });
}

export interface RowCopy {
  /** The locked source. */
  row: FileRow;
  to: Storage;
  key: string;
  conditions: Conditions;
  /** The locked quota of the target. */
  quota: number | null;
  /** @default those of the source */
  properties?: FileProperties;
  /** @default those of the source */
  checksums?: Pick<StoredFile, 'checksums' | 'checksumType'>;
}

/** Copies a locked row. The new row refers to the same blobs, and has the same state of the virus scan. */
export async function copyRow(
  context: StorageContext,
  query: Query,
  { row, to, key, conditions, quota, properties, checksums }: RowCopy,
): Promise<Pick<PutResult, 'file' | 'replaced'>> {
  const source = toStoredFile(row);
  await assertFitsQuota(query, to.accountId, quota, source.size);
  const segments = segmentsOf(row);
  return commitFile(context, query, to, key, {
    tokenId: null,
    properties: properties ?? mergeProperties(source, {}),
    content: { ...source, ...checksums, segments },
    conditions,
    references: { added: segments },
    scanned: row,
  });
}

/** Reads the source to compute checksums that it lacks. The bytes stay here, so they need not be scanned. */
async function hashSource(
  context: StorageContext,
  from: Storage,
  id: string,
  options: CopyOptions,
): Promise<Record<string, string>> {
  const row = await rowById(context, from, id);
  if (!row) throw fileNotFound({ id });
  const stream = new HashingStream({
    ...(options.hashers && { hashers: options.hashers }),
    ...(options.signal && { signal: options.signal }),
  });
  return (await stream.readAll(await readSegments(context, segmentsOf(row), { start: 0, end: row.size - 1 }, options.signal)))
    .checksums;
}
