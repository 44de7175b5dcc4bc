import type { Storage } from '../../identity/credential.js';
import { yieldToEventLoop } from '../../runtime/yield-to-event-loop.js';
import type { StorageContext } from '../context.js';
import { MAX_SCANNED, ROWS_OF_A_SEEK, rowsByKey } from './rows-by-key.js';

export interface FolderListing {
  /** Each with a slash at its end. */
  prefixes: string[];
  /** Value of `after` for the next page; null at the end. A page may be short, even empty, before. */
  next: string | null;
}

export interface ListFoldersOptions {
  /** The start of the folders. */
  prefix?: string;
  /** The `next` of the previous page. */
  after?: string;
  /** @default 'asc' */
  order?: 'asc' | 'desc';
  /** Folders at most. */
  limit: number;
}

/** Lists the folders below a prefix without the files between them. Reads a limited number of rows. */
export async function listFolders(
  context: StorageContext,
  storage: Storage,
  { prefix = '', after, order = 'asc', limit }: ListFoldersOptions,
): Promise<FolderListing> {
  const prefixes: string[] = [];
  const pause = yieldToEventLoop();
  let scanned = 0;
  for await (const { rows, folder, next } of rowsByKey(context, storage, {
    prefix,
    direct: true,
    order,
    after,
    columns: ['key'],
  })) {
    if (folder !== undefined) prefixes.push(folder);
    scanned += rows.length + ROWS_OF_A_SEEK;
    if (next !== undefined && (prefixes.length === limit || scanned >= MAX_SCANNED)) return { prefixes, next };
    await pause();
  }
  return { prefixes, next: null };
}
