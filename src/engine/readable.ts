import { BlobError } from '../protocol/errors.js';
import type { Item } from './item.js';
import { AGAIN } from './outcome.js';
import type { Outcome } from './outcome.js';

/** Why a chosen file cannot be read any more, or undefined when it can. Deleted, changed, a card taken out: choose it again. */
async function problemOf(file: File): Promise<BlobError | undefined> {
  let cause: unknown;
  try {
    // The end as well: a file that was cut short still has its beginning, and Firefox reads nothing of the rest without a word.
    const [, end] = await Promise.all([file.slice(0, 1).arrayBuffer(), file.slice(-1).arrayBuffer()]);
    if (end.byteLength === Math.min(1, file.size)) return undefined;
  } catch (error) {
    cause = error;
  }
  // What browsers say of a file that is there, but is not the one that was chosen.
  const changed = cause === undefined || (cause instanceof DOMException && cause.name === 'NotReadableError');
  return changed
    ? new BlobError('FILE_CHANGED', 'The file changed since it was chosen.', { cause })
    : new BlobError('FILE_UNREADABLE', 'The file is not there any more.', { cause });
}

/** Why files cannot be read any more, of those that cannot. */
export const problemsOf = async (items: readonly Item[]): Promise<BlobError[]> =>
  (await Promise.all(items.map(({ file }) => problemOf(file!)))).flatMap((problem) => problem ?? []);

/** Whether a file is there, but ends early: Firefox tells all of it as sent. */
export const isCutShort = ({ code, cause }: BlobError): boolean => code === 'FILE_CHANGED' && cause === undefined;

/** Whether it is the file that fails, not its way. */
export const isUnreadable = ({ code }: BlobError): boolean => code === 'FILE_UNREADABLE' || code === 'FILE_CHANGED';

/**
 * A request that failed without an answer may have failed at the file: browsers tell both alike, and Firefox and WebKit stand still.
 * @returns an outcome for each: those that cannot be read fail for good, and the others go again at once
 */
export async function diagnose(items: readonly Item[], error: BlobError): Promise<Outcome[]> {
  if (error.code !== 'NETWORK_ERROR' && error.code !== 'STALLED') return items.map(() => error);
  const problems = await Promise.all(items.map((item) => problemOf(item.file!)));
  const innocent = problems.some(Boolean) ? AGAIN : error;
  return problems.map((problem) => problem ?? innocent);
}
