import type { DeletionContext } from './delete-stored.js';
import { validateFile } from './file-rules.js';
import { loadChunk } from './load-chunk.js';
import { QueueItem } from './queue-item.js';
import type { QueueState } from './queue-state.js';
import type { Chosen, Limits, Rejection, UploadItem, UploadQueue } from './types.js';

/** Returns the file as it was chosen, before the page prepared or edited it; null if its bytes are not in the page. */
export const originalOf = (item: UploadItem): File | null => (item as QueueItem).preparation?.original ?? item.file;

/**
 * Puts a file in the place of another one, whose upload is aborted. A stored file stays in the form until the new one is stored, and
 * returns to the list if the new one is canceled.
 *
 * @returns the new item, or the reason why the file is refused. The list then stays as it is.
 */
export function replaceFile(queue: UploadQueue, item: UploadItem, chosen: Chosen, limits: Limits): UploadItem | Rejection {
  const candidate = QueueItem.fromChosen('', chosen);
  return validateFile(candidate, limits, listedWithout(item as QueueItem, queue)) ?? queue.replace(item.id, chosen);
}

function listedWithout(item: QueueItem, { context }: UploadQueue): QueueState['listed'] {
  const { files, bytes, identities } = (context.state as QueueState).listed;
  const others = { has: (identity: string) => identity !== item.identity && identities.has(identity) };
  // Failed files do not count.
  return item.state.status === 'failed'
    ? { files, bytes, identities: others }
    : { files: files - 1, bytes: bytes - item.size, identities: others };
}

/**
 * Drops the file that a stored one replaces.
 *
 * @param deletes deletes it at the service as well. If that fails, it stays stored without being listed.
 */
export function deleteReplaced(item: UploadItem, queue: UploadQueue, deletes: boolean): void {
  const stored = item as QueueItem;
  const { replaced } = stored;
  stored.replaced = undefined;
  if (!deletes || !replaced || replaced.state.status !== 'done' || stored.state.status !== 'done') return;
  // A token with a fixed path stores the new file in the place of the old one.
  if (replaced.state.file.id === stored.state.file.id || replaced.state.file.path === stored.state.file.path) return;
  const context: DeletionContext = { ...queue.context, onChange() {}, onDeleted() {} };
  loadChunk('deleteStored', () => import('./upload-engine.js'))
    .then((deleteStored) => deleteStored([replaced], context))
    .catch(() => {});
}
