import { toS3Error } from '../errors.js';
import { partAt, partCount } from './part-plan.js';
import type { Part } from './part-plan.js';
import type { FileProgress } from './progress-meter.js';
import type { TransferContext } from './transfer-context.js';

/**
 * Processes the parts of one file in parallel: as many as requests are allowed, and one more. After the first error no
 * further part starts, and the error is thrown when the running parts have ended.
 * @param parts yields the parts; gets the running parts and a signal that aborts when no more parts are wanted
 */
export async function processParts<Item>(
  context: TransferContext,
  parts: (running: ReadonlySet<Promise<void>>, signal: AbortSignal) => AsyncIterable<Item> | Iterable<Item>,
  process: (item: Item) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const failed = new AbortController();
  try {
    for await (const part of parts(running, AbortSignal.any([context.signal, failed.signal]))) {
      const task = process(part)
        .catch((error: unknown) => failed.abort(toS3Error(error)))
        .finally(() => running.delete(task));
      running.add(task);
      // More waiting parts would only hold memory that other files need.
      while (running.size > context.concurrency.limit) await Promise.race(running);
      if (failed.signal.aborted) break;
    }
  } finally {
    await Promise.all(running);
  }
  failed.signal.throwIfAborted();
}

/** The parts of a file, separated by what an earlier run has moved. */
export interface SplitParts<Result> {
  /** Parts that have to be moved. */
  missing: Part[];
  /** Results of the moved parts, each at the index of its part. The caller adds the others. */
  results: Result[];
}

/**
 * Separates the parts of a file that an earlier run has moved from the missing ones, and reports the moved ones as progress.
 * @param file with `completed`, the results of the earlier run by part number
 */
export function splitParts<Result>(
  { size, partSize, completed }: { size: number; partSize: number; completed: ReadonlyMap<number, Result> },
  progress: FileProgress,
): SplitParts<Result> {
  const parts: SplitParts<Result> = { missing: [], results: [] };
  for (let number = 1; number <= partCount(size, partSize); number++) {
    const part = partAt(number, size, partSize);
    const result = completed.get(number);
    if (result === undefined) parts.missing.push(part);
    else {
      parts.results[number - 1] = result;
      progress.addResumed(part.size);
    }
  }
  return parts;
}
