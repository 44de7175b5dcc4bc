import { AbortableWait, abortError } from '../abort.js';
import { toS3Error } from '../errors.js';
import type { Action } from '../types.js';
import type { AdaptiveConcurrency } from './adaptive-concurrency.js';
import type { TransferReport } from './transfer-report.js';

/** Items started beyond the concurrency limit, so that the next body is ready when a request slot gets free. */
const STARTED_AHEAD = 8;
/** After a fatal error the pool counts the remaining items for this long, so that the summary can tell how many are left. */
const COUNTING_MS = 1000;
/** Items counted before other tasks get a turn. */
const COUNTING_STEP = 1000;

interface WorkerPoolContext {
  signal: AbortSignal;
  /** The part of `signal` that the caller controls. */
  callerSignal: AbortSignal | undefined;
  /** The part of `signal` that aborts after a fatal error. */
  stopSignal: AbortSignal;
  concurrency: AdaptiveConcurrency;
  report: TransferReport;
}

/** Processes the items of a transfer in parallel. A failed item is reported and does not stop the others. */
export class WorkerPool {
  constructor(private readonly context: WorkerPoolContext) {}

  /**
   * Calls `work` for every item, with a few more items in flight than requests are allowed.
   * @throws S3Error when the source fails or the signal aborts
   */
  async forEach<Item>(
    action: Action,
    items: AsyncIterable<Item> | Iterable<Item>,
    nameOf: (item: Item) => string,
    work: (item: Item) => Promise<unknown>,
  ): Promise<void> {
    const { callerSignal, concurrency, report, signal, stopSignal } = this.context;
    const running = { count: 0 };
    let wake: (() => void) | undefined;
    const waitForOne = (): Promise<void> => new Promise((resolve) => (wake = resolve));
    const finish = (): void => {
      running.count--;
      wake?.();
      wake = undefined;
    };
    const isAsync = Symbol.asyncIterator in items;
    const source = isAsync ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
    const remaining = new RemainingCounter();
    const waiting = new AbortableWait(signal, () => (callerSignal?.aborted ? 0 : COUNTING_MS));
    try {
      for (;;) {
        const pulled = source.next();
        const next = isAsync ? await waiting.race(pulled) : (pulled as IteratorResult<Item>);
        if (next.done) break;
        if (signal.aborted) {
          // After a fatal error the remaining items are only counted.
          if (!stopSignal.aborted || remaining.isOver()) break;
          await remaining.count();
          continue;
        }
        while (running.count >= concurrency.limit + STARTED_AHEAD) await waitForOne();
        running.count++;
        work(next.value).then(finish, (error: unknown) => {
          report.fail(action, nameOf(next.value), toS3Error(error));
          finish();
        });
      }
    } finally {
      while (running.count > 0) await waitForOne();
      await waiting.close(() => source.return?.());
    }
    if (signal.aborted) throw abortError(signal);
  }
}

/** Limits the time in which the items after a fatal error are counted. Reading them is enough: the source counts them. */
class RemainingCounter {
  #deadline = 0;
  #count = 0;

  isOver(): boolean {
    this.#deadline ||= performance.now() + COUNTING_MS;
    return performance.now() > this.#deadline;
  }

  async count(): Promise<void> {
    if (++this.#count % COUNTING_STEP === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  }
}
