import { sql } from 'kysely';
import { yieldToEventLoop } from '../../runtime/yield-to-event-loop.js';
import type { StorageContext } from '../context.js';
import { firstKeyAfterPrefix, isKeyBefore } from '../files/list.js';
import type { ListUploadsOptions, Upload, UploadListing } from '../types.js';
import { findUpload, toUpload } from './multipart-uploads.js';
import type { Storage } from '../../identity/credential.js';

/** Rows of one read where prefixes are rolled up: most rows of a larger one would lie below the first of them. */
const ROLLED_UP_READ = 16;

/** Where the next read begins: at a key, or behind all uploads of a key, or behind one of them. */
type Position = { from: string } | { behind: string } | { behind: string; createdAt: number; id: string };

/** Lists uploads by key, then by start. A prefix that is rolled up is skipped with one seek, however many uploads are below it. */
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
  const rolledUp = (key: string): string | undefined => {
    const at = delimiter === '' || !key.startsWith(prefix) ? -1 : key.indexOf(delimiter, prefix.length);
    return at < 0 ? undefined : key.slice(0, at + delimiter.length);
  };

  let last = after ?? { key: '' };
  let position: Position | undefined =
    after === undefined || isKeyBefore(after.key, prefix)
      ? { from: prefix }
      : await positionBehind(context, storage, after, rolledUp(after.key));
  while (position) {
    const found = await read(context, storage, { kind, end, position, size });
    position = undefined;
    for (const upload of found) {
      if (listing.uploads.length + listing.prefixes.length === limit) {
        listing.next = last;
        return listing;
      }
      const common = rolledUp(upload.key);
      if (common === undefined) {
        listing.uploads.push(upload);
        last = { key: upload.key, id: upload.id };
        position = found.length < size ? undefined : { behind: upload.key, createdAt: upload.createdAt, id: upload.id };
      } else {
        listing.prefixes.push(common);
        last = { key: common };
        position = behindPrefix(common);
        break;
      }
    }
    await pause();
  }
  return listing;
}

function behindPrefix(prefix: string): Position | undefined {
  const from = firstKeyAfterPrefix(prefix);
  return from === undefined ? undefined : { from };
}

async function positionBehind(
  context: StorageContext,
  storage: Storage,
  { key, id }: { key: string; id?: string },
  common: string | undefined,
): Promise<Position | undefined> {
  if (common === key) return behindPrefix(key);
  if (id === undefined) return { behind: key };
  // One that has ended meanwhile says no longer when it began: the others of its key are listed again.
  const upload = await findUpload(context, storage, id);
  return { behind: key, createdAt: upload?.createdAt ?? 0, id };
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
  else if (!('id' in position)) query = query.where('key', '>', position.behind);
  else
    query = query.where(
      sql<boolean>`(key, created_at, id) > (${position.behind}, cast(${position.createdAt} as bigint), ${position.id})`,
    );
  return (await query.execute()).map(toUpload);
}
