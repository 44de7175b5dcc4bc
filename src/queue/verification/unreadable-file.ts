import { BlobError } from '../../protocol/errors.js';
import type { QueueItem } from '../queue-item.js';
import { SEND_AGAIN } from '../scheduler/retry-decision.js';
import type { Outcome } from '../scheduler/retry-decision.js';

const changed = (cause?: unknown): BlobError =>
  new BlobError('FILE_CHANGED', 'The file changed since it was chosen.', cause === undefined ? {} : { cause });

/** Files found to have grown. Looking again would mean reading them again. */
const grown = new WeakSet<File>();

/** Why a chosen file cannot be read any more, or undefined when it can. Deleted, changed, a card taken out: choose it again. */
async function problemOf({ file, size }: QueueItem): Promise<BlobError | undefined> {
  if (grown.has(file!)) return changed(new Error('It is longer now.'));
  let cause: unknown;
  try {
    // The end as well: a file that was cut short still has its beginning, and Firefox reads nothing of the rest without a word.
    const [, end] = await Promise.all([file!.slice(0, 1).arrayBuffer(), file!.slice(Math.max(0, size - 1), size).arrayBuffer()]);
    if (end.byteLength === Math.min(1, size)) return undefined;
    // Chromium reports a deleted file as empty until all of it is read.
    if (file!.size === 0) await file!.arrayBuffer();
  } catch (error) {
    cause = error;
  }
  // What browsers say of a file that is there, but is not the one that was chosen.
  if (cause === undefined || (cause instanceof DOMException && cause.name === 'NotReadableError')) return changed(cause);
  return new BlobError('FILE_UNREADABLE', 'The file is not there any more.', { cause });
}

/**
 * Firefox keeps the size that a file had when it was chosen, and reads without an error what has been put in its place. Only its stream
 * goes beyond that size. Chromium and WebKit refuse to read a file that changed.
 */
const isGecko = (): boolean => / Gecko\/\d/.test(globalThis.navigator?.userAgent ?? '');

async function hasGrown({ file, size }: QueueItem, signal: AbortSignal): Promise<boolean> {
  const reader = file!.stream().getReader();
  try {
    for (let read = 0; !signal.aborted;) {
      const { value, done } = await reader.read();
      if (done) return false;
      read += value.byteLength;
      if (read > size) return true;
    }
  } catch {
    // The request itself finds out what cannot be read.
  } finally {
    void reader.cancel().catch(() => {});
  }
  return false;
}

/**
 * Finds the files that are longer than when they were chosen, while they are sent. Their beginnings would be stored as if they were the
 * whole.
 * @param found is called at the first one
 */
export async function findGrown(
  group: readonly QueueItem[],
  signal: AbortSignal,
  found: () => void,
): Promise<ReadonlyMap<QueueItem, BlobError>> {
  const errors = new Map<QueueItem, BlobError>();
  for (const item of isGecko() ? group : []) {
    if (signal.aborted || !(await hasGrown(item, signal))) continue;
    grown.add(item.file!);
    errors.set(item, changed());
    found();
  }
  return errors;
}

/** Why files cannot be read any more, of those that cannot. */
export const findReadErrors = async (items: readonly QueueItem[]): Promise<BlobError[]> =>
  (await Promise.all(items.map(problemOf))).flatMap((problem) => problem ?? []);

/** Whether a file is there, but ends early: Firefox tells all of it as sent. */
export const isTruncated = ({ code, cause }: BlobError): boolean => code === 'FILE_CHANGED' && cause === undefined;

/**
 * A request that failed without an answer may have failed at the file: browsers tell both alike, and Firefox and WebKit stand still.
 * @returns an outcome for each: those that cannot be read fail for good, and the others go again at once
 */
export async function findReadFailures(items: readonly QueueItem[], error: BlobError): Promise<Outcome[]> {
  if (error.code !== 'NETWORK_ERROR' && error.code !== 'STALLED') return items.map(() => error);
  const problems = await Promise.all(items.map(problemOf));
  const innocent = problems.some(Boolean) ? SEND_AGAIN : error;
  return problems.map((problem) => problem ?? innocent);
}
