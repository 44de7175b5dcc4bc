import { BlobError } from '../protocol/errors.js';
import type { Item } from './item.js';
import type { Outcome } from './outcome.js';

/** Why a chosen file cannot be read any more, or undefined when it can. Deleted, changed, a card taken out: choose it again. */
async function problemOf(file: File): Promise<BlobError | undefined> {
  try {
    // The end as well: a file that was cut short still has its beginning.
    await Promise.all([file.slice(0, 1).arrayBuffer(), file.slice(-1).arrayBuffer()]);
    return undefined;
  } catch (cause) {
    // What browsers say of a file that is there, but is not the one that was chosen.
    const changed = cause instanceof DOMException && cause.name === 'NotReadableError';
    return changed
      ? new BlobError('FILE_CHANGED', 'The file changed since it was chosen.', { cause })
      : new BlobError('FILE_UNREADABLE', 'The file is not there any more.', { cause });
  }
}

/** Whether it is the file that fails, not its way. */
export const isUnreadable = ({ code }: BlobError): boolean => code === 'FILE_UNREADABLE' || code === 'FILE_CHANGED';

/**
 * A request that failed without an answer may have failed at the file: browsers tell both alike, and Firefox stands still.
 * @returns an outcome for each: those that cannot be read fail for good, and the others go again at once
 */
export async function diagnose(items: readonly Item[], error: BlobError): Promise<Outcome[]> {
  if (error.code !== 'NETWORK_ERROR' && error.code !== 'STALLED') return items.map(() => error);
  const problems = await Promise.all(items.map((item) => problemOf(item.file!)));
  const innocent = problems.some(Boolean) ? new BlobError('ABORTED', 'A file beside it could not be read.') : error;
  return problems.map((problem) => problem ?? innocent);
}
