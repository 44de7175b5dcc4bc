import { listBuckets } from '../s3/commands/list-buckets.js';
import type { Store } from '../s3/object-store.js';
import { S3Error, toS3Error } from '../errors.js';
import { isOutage } from '../error-kinds.js';
import { sleep } from '../abort.js';
import type { TransferEvent } from '../types.js';
import type { RetryBudget } from './retry-budget.js';

/** A shorter outage is not reported. Milliseconds. */
const REPORT_AFTER_MS = 2000;
/** Longest pause between two probes. Milliseconds. */
const PROBE_PAUSE_MAX_MS = 5000;

interface OutageContext {
  store: Store;
  signal: AbortSignal;
  retries: RetryBudget;
  emit(event: TransferEvent): void;
}

/**
 * Tells an outage of the store from a request that fails by itself.
 * One probe (ListBuckets) serves all failed requests, and they wait together until the store responds.
 */
export class OutageMonitor {
  /** Outages that ended so far. */
  count = 0;
  #waiting: Promise<boolean> | undefined;

  constructor(private readonly context: OutageContext) {}

  /**
   * @param before `count` when the failed request began
   * @returns whether the request failed because of an outage that is now over
   * @throws S3Error `StoreAway` when the outage lasts longer than `RetryOptions.patience`
   */
  async waitUntilOver(failure: S3Error, before: number): Promise<boolean> {
    if (this.context.retries.patience === 0 || !isOutage(failure)) return false;
    if (this.count !== before) return true;
    this.#waiting ??= this.#probeUntilOver(failure).finally(() => (this.#waiting = undefined));
    return this.#waiting;
  }

  async #probeUntilOver(failure: S3Error): Promise<boolean> {
    const { retries, signal, emit } = this.context;
    const began = performance.now();
    let isReported = false;
    for (let probes = 0; ; probes++) {
      if (await this.#responds()) {
        const wasAway = probes > 0;
        if (wasAway) this.count++;
        return wasAway;
      }
      const waitedMs = performance.now() - began;
      if (waitedMs > retries.patience)
        throw new S3Error('StoreAway', `The store no longer responds: ${failure.message}`, { cause: failure });
      if (!isReported && waitedMs > REPORT_AFTER_MS) {
        isReported = true;
        emit({ type: 'waiting', code: failure.code, message: failure.message });
      }
      await sleep((0.5 + Math.random()) * Math.min(PROBE_PAUSE_MAX_MS, 250 + waitedMs / 4), signal);
    }
  }

  /** Any response counts, even a refusal: keys need not be allowed to list buckets. */
  #responds(): Promise<boolean> {
    const { store, signal } = this.context;
    return listBuckets(store, signal).then(
      () => true,
      (refusal: unknown) => !isOutage(toS3Error(refusal)),
    );
  }
}
