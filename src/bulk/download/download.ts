import { S3Error } from '../errors.js';
import { reportEmptyPrefix, OMIT_RECURSIVE } from '../list/empty-prefix.js';
import { entryOfKey, objectsOfKeyList } from '../list/key-list.js';
import type { ListOptions } from '../list/key-list.js';
import { listAllObjects } from '../list/list-objects.js';
import { endStaleTransfers } from '../multipart/stale-transfers.js';
import { localPath } from '../s3/object-keys.js';
import type { Store } from '../s3/object-store.js';
import type { RunOptions } from '../transfer/run-options.js';
import { runTransfer } from '../transfer/run-transfer.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { ObjectEntry, Place, Summary, Target } from '../types.js';
import { downloadObject, safePath, saveObject } from './download-object.js';
import type { DownloadSettings } from './download-settings.js';

/** Options of `download` and `downloadExact`. */
export interface DownloadOptions extends RunOptions, ListOptions, Partial<Omit<DownloadSettings, 'bucket' | 'target'>> {
  /** Returns whether a path, relative to the prefix, takes part. @default all paths */
  filter?: (path: string) => boolean;
  /** Paths below the prefix that take part. @default all paths */
  paths?: AsyncIterable<string> | Iterable<string>;
}

/** Downloads all objects under a prefix, or those of a key list. */
export function download(store: Store, from: Place, target: Target, options: DownloadOptions): Promise<Summary> {
  const settings = { ...options, bucket: from.bucket, target };
  return runTransfer(store, options, async (context) => {
    let isEmpty = options.paths === undefined;
    const entries =
      options.paths === undefined
        ? listedObjects(context, from, options, () => (isEmpty = false))
        : objectsOfKeyList(context, 'download', from.prefix, options.paths, options);
    await context.workers.forEach(
      'download',
      entries,
      ({ key }) => key,
      (entry) => downloadObject(context, entry, from.prefix, settings, true),
    );
    await discardStaleDownloads(context, from, target, options);
    if (isEmpty) await reportEmptyPrefix(context, 'download', from, OMIT_RECURSIVE);
  });
}

/**
 * Downloads one object.
 * @param from its `prefix` is the key
 * @param path where the object is stored in the target
 */
export function downloadExact(
  store: Store,
  from: Place,
  target: Target,
  path: string,
  options: DownloadOptions,
): Promise<Summary> {
  const settings = { ...options, bucket: from.bucket, target };
  return runTransfer(store, options, async (context) => {
    const key = from.prefix;
    await context.workers.forEach('download', [key], String, async () => {
      const safe = safePath(target, path, path);
      const entry = await entryOfKey(context, from.bucket, key);
      if (entry.size === 0 && key.endsWith('/'))
        throw new S3Error('InvalidOption', `${key} is an empty object that marks a folder. Add -r to download the folder.`);
      context.meter.addPlanned(entry.size);
      context.meter.finishPlan();
      await saveObject(context, entry, safe, settings, true);
    });
  });
}

/** Deletes the partial files of earlier runs whose objects no longer exist, or were downloaded since. */
export const discardStaleDownloads = (
  context: TransferContext,
  from: Place,
  target: Target,
  options: { filter?: (path: string) => boolean; paths?: unknown },
): Promise<void> =>
  endStaleTransfers(context, from, options, {
    action: 'download',
    async end({ key, own }) {
      const place = localPath(key.slice(from.prefix.length));
      if ('path' in place) await target.forget?.(place.path, own);
      context.journal.end(key);
    },
  });

/** @param onFound called for each object, whether it is selected or not */
async function* listedObjects(
  context: TransferContext,
  from: Place,
  options: DownloadOptions,
  onFound: () => void,
): AsyncGenerator<ObjectEntry> {
  for await (const entry of listAllObjects(context, from)) {
    onFound();
    const path = entry.key.slice(from.prefix.length);
    // Consoles mark a folder by an empty object. This one marks the folder that is downloaded.
    const isFolderMark = path === '' && entry.size === 0;
    if (isFolderMark || options.filter?.(path) === false) continue;
    context.meter.addPlanned(entry.size);
    yield entry;
  }
  context.meter.finishPlan();
}
