import { Readable } from 'node:stream';
import { BlobLengthError, BlobMissingError, isStoreUnavailable } from '../../drivers/bytes/driver.js';
import type { BlobRange } from '../../drivers/bytes/driver.js';
import { isOutOfDescriptors } from '../../runtime/descriptors.js';
import { preparedQuery } from '../../drivers/metadata/prepared-queries/prepared-query.js';
import type { StorageContext, ReadFailure } from '../context.js';
import { isLive } from './lock-file.js';
import { isReferenced } from './blob-references.js';
import { segmentsOf, toStoredFile } from './file-rows.js';
import type { FileRow, Segment } from './file-rows.js';
import type { ByteRange, OpenedFile, StoredFile } from '../types.js';
import type { Storage } from '../../identity/credential.js';

type FileSelector = { key: string } | { id: string };

const byKey = preparedQuery<{ bucketId: string; key: string }>()((query, { bucketId, key }) =>
  query.selectFrom('files').selectAll().where('bucket_id', '=', bucketId).where('key', '=', key),
);
const byId = preparedQuery<{ bucketId: string; id: string }>()((query, { bucketId, id }) =>
  query.selectFrom('files').selectAll().where('bucket_id', '=', bucketId).where('id', '=', id),
);

async function findRow(context: StorageContext, storage: Storage, which: FileSelector): Promise<FileRow | undefined> {
  const { db } = context.metadata;
  const { bucketId } = storage;
  const row = await ('key' in which ? byKey.first(db, { bucketId, key: which.key }) : byId.first(db, { bucketId, id: which.id }));
  return isLive(row, context.now()) ? row : undefined;
}

/** Finds the row of a live file. */
export const rowById = (context: StorageContext, storage: Storage, id: string): Promise<FileRow | undefined> =>
  findRow(context, storage, { id });

export async function fileByKey(context: StorageContext, storage: Storage, key: string): Promise<StoredFile | undefined> {
  const row = await findRow(context, storage, { key });
  return row && toStoredFile(row);
}

export async function fileById(context: StorageContext, storage: Storage, id: string): Promise<StoredFile | undefined> {
  const row = await findRow(context, storage, { id });
  return row && toStoredFile(row);
}

/** Finds a file and opens its bytes, which can be read if the virus scan allows it. @returns undefined if there is no live file */
export async function openFile(context: StorageContext, storage: Storage, which: FileSelector): Promise<OpenedFile | undefined> {
  const row = await findRow(context, storage, which);
  if (!row) return undefined;
  const file = toStoredFile(row);
  const segments = segmentsOf(row);
  return {
    file,
    read: async (range = { start: 0, end: file.size - 1 }, signal) => {
      context.scanPolicy.beforeRead(file);
      return readSegments(context, segments, range, signal);
    },
  };
}

/** A piece of a blob that a range needs. */
interface Piece extends Required<BlobRange> {
  id: string;
}

/** Reads a range of several blobs as one stream. Opens each blob when the stream reaches it. */
export async function readSegments(
  context: StorageContext,
  segments: readonly Segment[],
  range: ByteRange,
  signal?: AbortSignal,
): Promise<Readable> {
  const pieces: Piece[] = [];
  let offset = 0;
  for (const [id, size] of segments) {
    const start = Math.max(range.start - offset, 0);
    const end = Math.min(range.end - offset, size - 1);
    if (start <= end) pieces.push({ id, start, end, size });
    offset += size;
  }
  const [first, ...rest] = pieces;
  if (!first) return Readable.from([]);
  // The first blob is opened before the response, so that a missing or damaged blob gives an error and not a broken body.
  const head = await openPiece(context, first, signal);
  if (rest.length === 0) return head;
  async function* joined() {
    yield* head;
    for (const piece of rest) yield* await openPiece(context, piece, signal);
  }
  const stream = Readable.from(joined(), { objectMode: false });
  // The generator of a stream that is never read does not run, so it cannot close the first blob.
  return stream.once('close', () => head.destroy());
}

async function openPiece(context: StorageContext, { id, ...range }: Piece, signal: AbortSignal | undefined): Promise<Readable> {
  const report = (cause: unknown) => void reportFailure(context, id, cause, signal).catch(() => {});
  try {
    return (await context.bytes.read(id, range, signal)).once('error', report);
  } catch (cause) {
    report(cause);
    throw cause;
  }
}

/** Reports a failure unless the reader has left or the blob was deleted meanwhile. */
async function reportFailure(
  context: StorageContext,
  blob: string,
  cause: unknown,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (signal?.aborted) return;
  const kind = kindOf(cause);
  if (kind === 'missing' && !(await isReferenced(context.metadata.db, blob))) return;
  context.reportReadFailure({ kind, blob, cause });
}

function kindOf(cause: unknown): ReadFailure['kind'] {
  if (cause instanceof BlobMissingError) return 'missing';
  if (cause instanceof BlobLengthError) return cause.kind;
  return isStoreUnavailable(cause) || isOutOfDescriptors(cause) ? 'unavailable' : 'other';
}
