import { createHash } from 'node:crypto';
import { BlobMissingError } from '../../drivers/bytes/driver.js';
import type { StorageContext } from '../context.js';
import { isReferenced } from '../files/blob-references.js';
import { segmentsOf } from '../files/file-rows.js';

/** A problem that the scrub found. */
export type Finding =
  | {
      /** `changed`: the bytes differ from the stored hash. `missing`: no bytes. `unreadable`: the store failed. */
      kind: 'changed' | 'missing' | 'unreadable';
      blob: string;
      /** The files that contain the blob. */
      files: { id: string; path: string }[];
      message: string;
    }
  /** A file refers to a blob without a row. */
  | { kind: 'unknown'; blob: string; files: { id: string; path: string }[]; message: string }
  /** The sums of an account, used for statistics and quota, differ from its files. */
  | { kind: 'miscounted'; account: string; message: string };

export interface ScrubReport {
  blobs: number;
  bytes: number;
  files: number;
  findings: number;
}

/** Rows of one query. */
const PAGE = 500;

/**
 * Reads every stored byte and compares it with the hash of its upload. Then compares files with their blobs, and sums with files. Changes
 * nothing, so it may run beside the service.
 */
export async function scrub(
  context: StorageContext,
  onFinding: (finding: Finding) => void,
  signal?: AbortSignal,
): Promise<ScrubReport> {
  const report: ScrubReport = { blobs: 0, bytes: 0, files: 0, findings: 0 };
  const addFinding = (finding: Finding) => {
    report.findings += 1;
    onFinding(finding);
  };
  await scrubBlobs(context, report, addFinding, signal);
  await scrubFiles(context, report, addFinding, signal);
  await scrubUsage(context, addFinding);
  return report;
}

async function scrubBlobs(
  context: StorageContext,
  report: ScrubReport,
  addFinding: (finding: Finding) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let after = ''; ;) {
    const page = await context.metadata.db
      .selectFrom('blobs')
      .select(['id', 'size', 'sha256'])
      .where('id', '>', after)
      .where('refs', '>', 0)
      .orderBy('id')
      .limit(PAGE)
      .execute();
    for (const blob of page) {
      signal?.throwIfAborted();
      const problem = await problemOf(context, blob, signal);
      report.blobs += 1;
      report.bytes += blob.size;
      // A blob that was deleted meanwhile is no finding.
      if (problem && (await isReferenced(context.metadata.db, blob.id)))
        addFinding({ ...problem, blob: blob.id, files: await filesOf(context, blob.id) });
    }
    if (page.length < PAGE) return;
    after = page.at(-1)!.id;
  }
}

async function problemOf(
  context: StorageContext,
  blob: { id: string; size: number; sha256: string },
  signal: AbortSignal | undefined,
): Promise<{ kind: 'changed' | 'missing' | 'unreadable'; message: string } | undefined> {
  const hash = createHash('sha256');
  let size = 0;
  try {
    for await (const chunk of await context.bytes.read(blob.id, undefined, signal)) {
      hash.update(chunk as Uint8Array);
      size += (chunk as Uint8Array).byteLength;
    }
  } catch (cause) {
    signal?.throwIfAborted();
    return { kind: cause instanceof BlobMissingError ? 'missing' : 'unreadable', message: (cause as Error).message };
  }
  if (size !== blob.size) return { kind: 'changed', message: `has ${size} bytes; ${blob.size} were stored` };
  return hash.digest('hex') === blob.sha256 ? undefined : { kind: 'changed', message: 'its SHA-256 differs' };
}

async function filesOf(context: StorageContext, blobId: string): Promise<{ id: string; path: string }[]> {
  const rows = await context.metadata.db
    .selectFrom('files')
    .select(['id', 'key'])
    .where('segments_json', 'like', `%"${blobId}"%`)
    .execute();
  return rows.map((row) => ({ id: row.id, path: row.key }));
}

async function scrubFiles(
  context: StorageContext,
  report: ScrubReport,
  addFinding: (finding: Finding) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let after = ''; ;) {
    signal?.throwIfAborted();
    const page = await context.metadata.db
      .selectFrom('files')
      .select(['id', 'key', 'segments_json'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(PAGE)
      .execute();
    const ids = [...new Set(page.flatMap(segmentsOf).map(([id]) => id))];
    const rows =
      ids.length === 0 ? [] : await context.metadata.db.selectFrom('blobs').select('id').where('id', 'in', ids).execute();
    const known = new Set(rows.map((row) => row.id));
    for (const file of page) {
      report.files += 1;
      const unknown = segmentsOf(file).find(([id]) => !known.has(id));
      // The file may have been replaced between the two queries.
      if (unknown && (await filesOf(context, unknown[0])).length > 0)
        addFinding({
          kind: 'unknown',
          blob: unknown[0],
          files: [{ id: file.id, path: file.key }],
          message: 'there is no row for this blob',
        });
    }
    if (page.length < PAGE) return;
    after = page.at(-1)!.id;
  }
}

async function scrubUsage(context: StorageContext, addFinding: (finding: Finding) => void): Promise<void> {
  // One transaction, so that no upload commits between the two queries.
  const mismatches = await context.metadata.write(async (query) => {
    const files = await query
      .selectFrom('files')
      .select(({ fn }) => ['account_id', fn.countAll().as('files'), fn.sum('size').as('bytes')])
      .groupBy('account_id')
      .execute();
    const usage = await query
      .selectFrom('usage')
      .select(({ fn }) => ['account_id', fn.sum('files').as('files'), fn.sum('bytes').as('bytes')])
      .groupBy('account_id')
      .execute();
    const sumsOf = (rows: typeof files | typeof usage, account: string) => {
      const row = rows.find(({ account_id }) => account_id === account);
      return `${Number(row?.files ?? 0)} files, ${Number(row?.bytes ?? 0)} bytes`;
    };
    return [...new Set([...files, ...usage].map((row) => row.account_id))]
      .map((account) => ({ account, actual: sumsOf(files, account), recorded: sumsOf(usage, account) }))
      .filter(({ actual, recorded }) => actual !== recorded);
  });
  for (const { account, actual, recorded } of mismatches)
    addFinding({ kind: 'miscounted', account, message: `the account stores ${actual}; its sums say ${recorded}` });
}
