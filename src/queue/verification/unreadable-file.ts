import { BlobError } from '../../protocol/errors.js';
import type { QueueItem } from '../queue-item.js';
import { SEND_AGAIN } from '../outcome.js';
import type { Outcome } from '../outcome.js';

const fileChanged = (cause?: unknown): BlobError =>
  new BlobError('FILE_CHANGED', 'The file changed since it was chosen.', cause === undefined ? {} : { cause });

/** Files that have grown. The set saves reading them again. */
const grownFiles = new WeakSet<File>();

/** Returns why a chosen file cannot be read any more, such as a deleted file; undefined if it can, and for a file of a URL. */
async function findReadError({ file, size }: QueueItem): Promise<BlobError | undefined> {
  if (file === null) return undefined;
  if (grownFiles.has(file)) return fileChanged(new Error('It is longer now.'));
  let cause: unknown;
  try {
    // The end is read as well: a shortened file still has its beginning, and Firefox reads no bytes of the rest without an error.
    const [, end] = await Promise.all([file.slice(0, 1).arrayBuffer(), file.slice(Math.max(0, size - 1), size).arrayBuffer()]);
    if (end.byteLength === Math.min(1, size)) return undefined;
    // Chromium reports a deleted file as empty until the whole file is read.
    if (file.size === 0) await file.arrayBuffer();
  } catch (error) {
    cause = error;
  }
  // Browsers throw this error for a file that exists and changed.
  if (cause === undefined || (cause instanceof DOMException && cause.name === 'NotReadableError')) return fileChanged(cause);
  return new BlobError('FILE_UNREADABLE', 'The file no longer exists.', { cause });
}

/**
 * Returns whether the browser is Firefox. It keeps the size that a file had when it was chosen, and reads a replaced file without an error.
 * Only the stream reads beyond that size. Chromium and WebKit refuse to read a changed file.
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
    // The request itself fails if the file cannot be read.
  } finally {
    void reader.cancel().catch(() => {});
  }
  return false;
}

/**
 * Finds the files that have grown since they were chosen, while they are sent. Otherwise only their beginnings would be stored.
 * @param found called for each of them
 */
export async function findGrown(
  group: readonly QueueItem[],
  signal: AbortSignal,
  found: () => void,
): Promise<ReadonlyMap<QueueItem, BlobError>> {
  const errors = new Map<QueueItem, BlobError>();
  for (const item of isGecko() ? group : []) {
    if (item.file === null || signal.aborted || !(await hasGrown(item, signal))) continue;
    grownFiles.add(item.file);
    errors.set(item, fileChanged());
    found();
  }
  return errors;
}

/** Returns the errors of the files that cannot be read any more. */
export const findReadErrors = async (items: readonly QueueItem[]): Promise<BlobError[]> =>
  (await Promise.all(items.map(findReadError))).flatMap((problem) => problem ?? []);

/** Returns whether a file exists but is shorter now. Firefox reports all of it as sent. */
export const isTruncated = ({ code, cause }: BlobError): boolean => code === 'FILE_CHANGED' && cause === undefined;

/**
 * Finds the files that made a request fail without a response. Browsers report a file that cannot be read like a broken connection.
 * @returns the outcome of each file: the error of reading it, or `SEND_AGAIN` if another file is the cause
 */
export async function findReadFailures(items: readonly QueueItem[], error: BlobError): Promise<Outcome[]> {
  if (error.code !== 'NETWORK_ERROR' && error.code !== 'STALLED') return items.map(() => error);
  const problems = await Promise.all(items.map(findReadError));
  const otherOutcome = problems.some(Boolean) ? SEND_AGAIN : error;
  return problems.map((problem) => problem ?? otherOutcome);
}
