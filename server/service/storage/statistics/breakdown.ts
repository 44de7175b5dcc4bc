import type { Storage } from '../../identity/credential.js';
import { yieldToEventLoop } from '../../runtime/yield-to-event-loop.js';
import type { StorageContext } from '../context.js';
import { commonPrefixOf } from '../files/key-order.js';
import { rowsByKey } from '../search/rows-by-key.js';

/** Folders and types that a breakdown lists. */
const MAX_ENTRIES = 20;
/** Content types that are counted separately. */
const MAX_TYPES = 1000;
/** The name of all content types beyond `MAX_TYPES`. */
const OTHER_TYPES = 'other';

export interface FileSum {
  files: number;
  bytes: number;
}

/** The largest folders and content types of a bucket, largest first. */
export interface Breakdown {
  /** Folders below the root, each with a slash at its end; "" for the files outside of folders. */
  folders: (FileSum & { prefix: string })[];
  types: (FileSum & { type: string })[];
}

const largestFirst = (a: FileSum, b: FileSum): number => b.bytes - a.bytes || b.files - a.files;

const addFile = (sum: FileSum, size: number): void => {
  sum.files += 1;
  sum.bytes += size;
};

/** Reads all files of a bucket in small steps. @param pause runs between the steps and may throw. */
export async function computeBreakdown(
  context: StorageContext,
  storage: Storage,
  pause: () => Promise<void>,
): Promise<Breakdown> {
  const outside = { prefix: '', files: 0, bytes: 0 };
  let folders: Breakdown['folders'] = [];
  // Keys arrive in their order, so the files of a folder follow one another.
  let current = outside;
  const types = new Map<string, FileSum>();
  const yieldRegularly = yieldToEventLoop();
  const scan = { prefix: '', direct: false, order: 'asc', columns: ['key', 'size', 'content_type'] } as const;
  for await (const { rows } of rowsByKey(context, storage, scan)) {
    for (const { key, size = 0, content_type = '' } of rows) {
      const prefix = commonPrefixOf(key, '', '/');
      if (prefix !== undefined && prefix !== current.prefix) {
        current = { prefix, files: 0, bytes: 0 };
        folders = [...folders, current];
        if (folders.length > 2 * MAX_ENTRIES) folders = largest(folders, current);
      }
      const type = content_type.split(';', 1)[0]!.trim().toLowerCase();
      const name = types.has(type) || types.size < MAX_TYPES ? type : OTHER_TYPES;
      const ofType = types.get(name) ?? { files: 0, bytes: 0 };
      types.set(name, ofType);
      addFile(prefix === undefined ? outside : current, size);
      addFile(ofType, size);
    }
    await yieldRegularly();
    await pause();
  }
  const all = outside.files > 0 ? [outside, ...folders] : folders;
  return {
    folders: all.toSorted(largestFirst).slice(0, MAX_ENTRIES),
    types: [...types]
      .map(([type, sum]) => ({ type, ...sum }))
      .toSorted(largestFirst)
      .slice(0, MAX_ENTRIES),
  };
}

/** Keeps the largest folders and the one that is still being counted. */
const largest = (folders: Breakdown['folders'], current: Breakdown['folders'][number]): Breakdown['folders'] => [
  ...folders
    .filter((folder) => folder !== current)
    .toSorted(largestFirst)
    .slice(0, MAX_ENTRIES),
  current,
];
