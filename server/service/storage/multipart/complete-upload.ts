import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import { validationError } from '../../../../src/protocol/errors.js';
import { FILE } from '../../../../src/protocol/limits.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import type { PartsTable } from '../../drivers/metadata/tables.js';
import { commitFile } from '../uploads/commit-file.js';
import type { StorageContext } from '../context.js';
import { HashingStream, tooLarge } from '../uploads/hashing-stream.js';
import { uploadNotFound } from './parts.js';
import { readSegments } from '../files/read.js';
import type { Segment } from '../files/file-rows.js';
import type { BodySummary, CompleteOptions, PartSummary, PutResult, StoredFile, Upload } from '../types.js';
import { lockUpload, deleteUploadRows } from './multipart-uploads.js';
import { accountableCredentials, assertMayContinueUpload } from '../uploads/credential-checks.js';
import { assertNotRevokedAtCommit } from '../../identity/revocation.js';
import { tokenIdOf } from '../../identity/credential.js';
import type { Storage } from '../../identity/credential.js';
import { idempotencyIdOf } from '../uploads/idempotency.js';

type PartRow = Selectable<PartsTable>;

/** The steps that a resumable upload adds to a completion. */
export interface ResumableCompletion {
  /** @param read reads all parts from the store. Not needed if the hashes are already known. */
  summary(read: () => Promise<BodySummary>): Promise<BodySummary>;
  /** Runs in the transaction that commits the file. */
  commit(query: Query, file: StoredFile): Promise<void>;
}

/** Commits the file of an upload. The blobs of the file are the parts. Their bytes are read only to hash the whole file. */
export async function completeUpload(
  context: StorageContext,
  upload: Upload,
  options: CompleteOptions,
  resumable?: ResumableCompletion,
): Promise<PutResult> {
  const startedAt = context.now();
  const chosen = chooseParts(await partRows(context.metadata.db, upload.id), options.parts);
  const segments = segmentsOfParts(chosen);
  if (sizeOf(segments) > FILE.maxBytes) throw tooLarge(FILE.maxBytes);
  const read = () => hashSegments(context, segments, options);
  const summary = await (resumable ? resumable.summary(read) : read());
  await options.check?.(summary);
  options.signal?.throwIfAborted();
  return context.metadata.write(async (query) => {
    const now = context.now();
    if (!(await lockUpload(context, query, upload.id))) throw uploadNotFound(upload.id);
    await assertMayContinueUpload(query, upload, { credential: options.credential, startedAt }, now);
    // A part may have been replaced while the old one was read. The file would differ from the one that was checked.
    const current = segmentsOfParts(chooseParts(await partRows(query, upload.id), options.parts));
    if (JSON.stringify(current) !== JSON.stringify(segments))
      throw validationError('parts', 'changed while the upload was completed');
    const parts = await deleteUploadRows(query, upload.id);
    const committed = await commitFile(context, query, upload, upload.key, {
      // The creator, although another token may send the last bytes.
      tokenId: tokenIdOf(upload.credential),
      properties: upload.properties,
      content: {
        ...contentOf(summary, options),
        // Pieces of a resumable upload have no meaning for readers.
        parts: resumable ? null : chosen.map(partSummary),
        segments,
      },
      conditions: options,
      references: { added: segments, dropped: parts },
    });
    await resumable?.commit(query, committed.file);
    if (options.request !== undefined) await recordCompletion(query, upload, upload.id, options.request, committed.file, now);
    await assertNotRevokedAtCommit(context.metadata, query, ...accountableCredentials(upload, options.credential));
    return { ...committed, repeated: false };
  });
}

/** Returns the id of a completion. It cannot equal the id of a client's idempotency key, because those keys contain no line break. */
const completionId = (storage: Storage, uploadId: string): string => idempotencyIdOf(storage, `completed\n${uploadId}`);

const nameOfRequest = (request: string): string => createHash('sha256').update(request).digest('hex');

/** Stores the result of a completion in its transaction, so that a repeated request receives it. */
async function recordCompletion(
  query: Query,
  storage: Storage,
  uploadId: string,
  request: string,
  file: StoredFile,
  now: number,
): Promise<void> {
  // There may be thousands of parts, and no response to a repeat contains them.
  const result: StoredFile = { ...file, parts: null };
  await query
    .insertInto('idempotency')
    .values({
      id: completionId(storage, uploadId),
      name: nameOfRequest(request),
      token_id: null,
      result_json: JSON.stringify(result),
      created_at: now,
    })
    .execute();
}

/**
 * Returns the file of a completed upload, without its parts, if the same request completed it less than a day ago. The first response may
 * have been lost, or several requests may have arrived at once.
 */
export async function completedUpload(
  { metadata }: StorageContext,
  storage: Storage,
  uploadId: string,
  request: string,
): Promise<StoredFile | undefined> {
  const row = await metadata.db
    .selectFrom('idempotency')
    .select(['name', 'result_json'])
    .where('id', '=', completionId(storage, uploadId))
    .executeTakeFirst();
  if (!row || row.result_json === null || row.name !== nameOfRequest(request)) return undefined;
  return JSON.parse(row.result_json) as StoredFile;
}

const partSummary = (part: PartRow): PartSummary => ({
  number: part.number,
  size: part.size,
  checksums: JSON.parse(part.checksums_json) as Record<string, string>,
});

const partRows = (query: Query, uploadId: string): Promise<PartRow[]> =>
  query.selectFrom('parts').selectAll().where('upload_id', '=', uploadId).orderBy('number').execute();

const segmentsOfParts = (rows: readonly PartRow[]): Segment[] => rows.map((row) => [row.blob_id, row.size]);

const sizeOf = (segments: readonly Segment[]): number => segments.reduce((sum, [, size]) => sum + size, 0);

/** Describes the bytes of the file. Etag and checksums of the request, which S3 computes from the parts, come first. */
const contentOf = (summary: BodySummary, { etag, checksums, checksumType }: CompleteOptions) => ({
  size: summary.size,
  sha256: summary.sha256,
  etag: etag ?? summary.md5,
  checksums: checksums ?? summary.checksums,
  checksumType: checksumType ?? (Object.keys(summary.checksums).length > 0 ? ('FULL_OBJECT' as const) : null),
});

function chooseParts(rows: readonly PartRow[], requested: CompleteOptions['parts']): readonly PartRow[] {
  if (!requested) return rows;
  const byNumber = new Map(rows.map((row) => [row.number, row]));
  return requested.map(({ number, etag }) => {
    const row = byNumber.get(number);
    if (!row)
      throw validationError('parts', `must list uploaded parts; part ${number} was not uploaded`, { details: { number } });
    if (etag !== undefined && etag !== row.etag)
      throw validationError('parts', `must state the ETag of each part; part ${number} has another`, { details: { number } });
    return row;
  });
}

/** Reads all bytes from the store and hashes them. */
async function hashSegments(
  context: StorageContext,
  segments: readonly Segment[],
  { hashers, signal }: CompleteOptions,
): Promise<BodySummary> {
  const stream = new HashingStream({ ...(hashers && { hashers }), ...(signal && { signal }) });
  return stream.readAll(await readSegments(context, segments, { start: 0, end: sizeOf(segments) - 1 }, signal));
}
