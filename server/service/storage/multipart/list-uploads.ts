import { sql } from 'kysely';
import { yieldToEventLoop } from '../../runtime/yield-to-event-loop.js';
import type { StorageContext } from '../context.js';
import { commonPrefixOf, firstKeyAfterPrefix, isKeyBefore } from '../files/key-order.js';
import type { ListUploadsOptions, Upload, UploadListing } from '../types.js';
import { findUpload, toUpload } from './multipart-uploads.js';
import type { Storage } from '../../identity/credential.js';

/** Rows of one read with a delimiter. Most rows of a larger read would be below the first common prefix. */
const READ_WITH_DELIMITER = 16;

/** The start of the next read: at a key, after all uploads of a key, or after one of them. */
type Position = { from: string } | { after: string } | { after: string; createdAt: number; id: string };

/** Lists uploads by key, then by creation. A common prefix is skipped with one seek, however many uploads are below it. */
export async function listUploads(
  context: StorageContext,
  storage: Storage,
  options: ListUploadsOptions,
): Promise<UploadListing> {
  const { kind, prefix = '', delimiter = '', limit } = options;
  const listing: UploadListing = { uploads: [], prefixes: [], next: null };
  const end = firstKeyAfterPrefix(prefix);
  const size = delimiter === '' ? limit + 1 : READ_WITH_DELIMITER;
  const pause = yieldToEventLoop();
  let lastListed: { key: string; id?: string } = options.after ?? { key: '' };
  let position = await firstPosition(context, storage, options);
  while (position) {
    const uploads = await readUploads(context, storage, { kind, end, position, size });
    position = undefined;
    for (const upload of uploads) {
      if (listing.uploads.length + listing.prefixes.length === limit) return { ...listing, next: lastListed };
      const commonPrefix = commonPrefixOf(upload.key, prefix, delimiter);
      if (commonPrefix !== undefined) {
        listing.prefixes.push(commonPrefix);
        lastListed = { key: commonPrefix };
        position = positionAfterPrefix(commonPrefix);
        break;
      }
      listing.uploads.push(upload);
      lastListed = { key: upload.key, id: upload.id };
      // A read that returned fewer rows than requested was the last one.
      if (uploads.length === size) position = { after: upload.key, createdAt: upload.createdAt, id: upload.id };
    }
    await pause();
  }
  return listing;
}

function positionAfterPrefix(prefix: string): Position | undefined {
  const from = firstKeyAfterPrefix(prefix);
  return from === undefined ? undefined : { from };
}

/** @returns undefined if no upload can follow. */
async function firstPosition(
  context: StorageContext,
  storage: Storage,
  { prefix = '', delimiter = '', after }: ListUploadsOptions,
): Promise<Position | undefined> {
  if (after === undefined || isKeyBefore(after.key, prefix)) return { from: prefix };
  const { key, id } = after;
  if (commonPrefixOf(key, prefix, delimiter) === key) return positionAfterPrefix(key);
  if (id === undefined) return { after: key };
  // If the upload has ended, its creation time is unknown, so the other uploads of its key are listed again.
  const upload = await findUpload(context, storage, id);
  return { after: key, createdAt: upload?.createdAt ?? 0, id };
}

async function readUploads(
  context: StorageContext,
  { bucketId }: Storage,
  options: { kind: Upload['kind']; end: string | undefined; position: Position; size: number },
): Promise<Upload[]> {
  const { kind, end, position, size } = options;
  let query = context.metadata.db
    .selectFrom('uploads')
    .selectAll()
    .where('bucket_id', '=', bucketId)
    .where('kind', '=', kind)
    .orderBy('key')
    .orderBy('created_at')
    .orderBy('id')
    .limit(size);
  if (end !== undefined) query = query.where('key', '<', end);
  if ('from' in position) query = query.where('key', '>=', position.from);
  else if (!('id' in position)) query = query.where('key', '>', position.after);
  else
    query = query.where(
      sql<boolean>`(key, created_at, id) > (${position.after}, cast(${position.createdAt} as bigint), ${position.id})`,
    );
  return (await query.execute()).map(toUpload);
}
