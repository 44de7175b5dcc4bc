import { sql } from 'kysely';
import { yieldToEventLoop } from '../../runtime/yield-to-event-loop.js';
import type { StorageContext } from '../context.js';
import { firstKeyAfterPrefix, isKeyBefore } from '../files/list.js';
import type { ListUploadsOptions, Upload, UploadListing } from '../types.js';
import { findUpload, toUpload } from './multipart-uploads.js';
import type { Storage } from '../../identity/credential.js';

/** Rows of one read with a delimiter. Most rows of a larger read would be below the first common prefix. */
const ROLLED_UP_READ = 16;

/** Where the next read begins: at a key, after all uploads of a key, or after one of them. */
type Position = { from: string } | { after: string } | { after: string; createdAt: number; id: string };

/** Lists uploads by key, then by creation. A common prefix is skipped with one seek, however many uploads are below it. */
export async function listUploads(
  context: StorageContext,
  storage: Storage,
  options: ListUploadsOptions,
): Promise<UploadListing> {
  const { kind, prefix = '', delimiter = '', after, limit } = options;
  const listing: UploadListing = { uploads: [], prefixes: [], next: null };
  const end = firstKeyAfterPrefix(prefix);
  const size = delimiter === '' ? limit + 1 : ROLLED_UP_READ;
  const pause = yieldToEventLoop();
  const commonPrefixOf = (key: string): string | undefined => {
    const at = delimiter === '' || !key.startsWith(prefix) ? -1 : key.indexOf(delimiter, prefix.length);
    return at < 0 ? undefined : key.slice(0, at + delimiter.length);
  };

  let last = after ?? { key: '' };
  let position: Position | undefined =
    after === undefined || isKeyBefore(after.key, prefix)
      ? { from: prefix }
      : await positionAfter(context, storage, after, commonPrefixOf(after.key));
  while (position) {
    const found = await read(context, storage, { kind, end, position, size });
    position = undefined;
    for (const upload of found) {
      if (listing.uploads.length + listing.prefixes.length === limit) {
        listing.next = last;
        return listing;
      }
      const common = commonPrefixOf(upload.key);
      if (common === undefined) {
        listing.uploads.push(upload);
        last = { key: upload.key, id: upload.id };
        position = found.length < size ? undefined : { after: upload.key, createdAt: upload.createdAt, id: upload.id };
      } else {
        listing.prefixes.push(common);
        last = { key: common };
        position = positionAfterPrefix(common);
        break;
      }
    }
    await pause();
  }
  return listing;
}

function positionAfterPrefix(prefix: string): Position | undefined {
  const from = firstKeyAfterPrefix(prefix);
  return from === undefined ? undefined : { from };
}

async function positionAfter(
  context: StorageContext,
  storage: Storage,
  { key, id }: { key: string; id?: string },
  common: string | undefined,
): Promise<Position | undefined> {
  if (common === key) return positionAfterPrefix(key);
  if (id === undefined) return { after: key };
  // If the upload has ended, its creation time is unknown, so the other uploads of its key are listed again.
  const upload = await findUpload(context, storage, id);
  return { after: key, createdAt: upload?.createdAt ?? 0, id };
}

async function read(
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
