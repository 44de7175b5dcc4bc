import { abortError, sleep } from '../abort.js';
import { S3Error, toS3Error } from '../errors.js';
import { isFatal, isRetryable, isThrottle, mayConcernOneRequest } from '../error-kinds.js';
import { listBuckets } from '../s3/commands/list-buckets.js';
import type { Store } from '../s3/object-store.js';
import type { TransferEvent } from '../types.js';
import type { AdaptiveConcurrency } from './adaptive-concurrency.js';
import { OutageMonitor } from './outage-monitor.js';
import type { FileProgress } from './progress-meter.js';
import type { RetryBudget } from './retry-budget.js';

/** Immediate retries of one request, for example after a pooled connection was closed or a redirect was learned. */
const IMMEDIATE_RETRIES_MAX = 8;
/** Outages that do not count as attempts of one request. A request that meets more may cause them. */
const FREE_OUTAGES_MAX = 3;
/** Refused signatures in a row after which the executor checks whether the key itself was replaced. */
const REFUSED_SIGNATURES_MAX = 16;

interface ExecutorContext {
  store: Store;
  signal: AbortSignal;
  concurrency: AdaptiveConcurrency;
  retries: RetryBudget;
  emit(event: TransferEvent): void;
}

/** Sends the requests of a transfer. It decides when a request starts, whether it is retried, and when it has failed. */
export class TransferExecutor {
  readonly #outages: OutageMonitor;
  /** The store has carried out at least one request. */
  #hasSucceeded = false;
  /** Refused signatures since the last success. */
  #refusedSignatures = 0;

  constructor(private readonly context: ExecutorContext) {
    this.#outages = new OutageMonitor(context);
  }

  /**
   * Sends one request and retries it while that can help and the retry budget lasts.
   * @param name key or path that retry events name
   * @param weight bytes of the body; adaptive concurrency measures throughput by it
   * @param work sends the request once; it reports moved bytes to its argument
   * @param progress file whose bytes are counted; those of a failed attempt are subtracted
   * @throws S3Error the last error, or `BudgetExhausted`
   */
  async request<Response>(
    name: string,
    weight: number,
    work: (addMoved: (bytes: number) => void) => Promise<Response>,
    progress?: FileProgress,
  ): Promise<Response> {
    const { concurrency, retries, signal } = this.context;
    let immediateRetries = 0;
    let freeOutages = 0;
    for (let tries = 1; ; tries++) {
      const slot = concurrency.acquire(signal, weight);
      if (slot !== undefined) await slot;
      const outagesBefore = this.#outages.count;
      let moved = 0;
      const addMoved = (bytes: number): void => {
        moved += bytes;
        progress?.addMoved(bytes);
      };
      try {
        const response = await work(addMoved);
        concurrency.release(weight, true);
        retries.succeeded();
        this.#hasSucceeded = true;
        this.#refusedSignatures = 0;
        return response;
      } catch (thrown) {
        addMoved(-moved);
        concurrency.release(weight, false);
        const error = toS3Error(thrown);
        if (signal.aborted) throw abortError(signal);
        if (error.again && immediateRetries++ < IMMEDIATE_RETRIES_MAX) {
          tries--;
          continue;
        }
        await this.#checkKeyAfter(error);
        const wasOutage = this.#hasSucceeded && (await this.#outages.waitUntilOver(error, outagesBefore));
        if (wasOutage && freeOutages++ < FREE_OUTAGES_MAX) tries--;
        else await this.#waitBeforeRetry(name, error, tries);
      }
    }
  }

  /** Returns whether no other request of the transfer can succeed after this error either. */
  isFatal(error: S3Error): boolean {
    return isFatal(error) && !(this.#hasSucceeded && mayConcernOneRequest(error));
  }

  /**
   * Checks the key after many refused signatures. A proxy may break the signature of single keys;
   * a replaced key would cost one refusal for every remaining file.
   */
  async #checkKeyAfter(error: S3Error): Promise<void> {
    if (!this.#hasSucceeded || error.code !== 'SignatureDoesNotMatch') return;
    this.#refusedSignatures++;
    if (this.#refusedSignatures % REFUSED_SIGNATURES_MAX !== 0) return;
    const { store, signal } = this.context;
    try {
      await listBuckets(store, signal);
    } catch (thrown) {
      if (toS3Error(thrown).code === 'SignatureDoesNotMatch') this.#hasSucceeded = false;
    }
  }

  /** Sleeps until the next attempt. @throws S3Error when there is none */
  async #waitBeforeRetry(name: string, error: S3Error, tries: number): Promise<void> {
    const { concurrency, emit, retries, signal } = this.context;
    error.tries = tries;
    if (isThrottle(error)) concurrency.backOff();
    // A store that worked before may show an error page during a deployment.
    const isErrorPage = this.#hasSucceeded && error.code === 'NotS3' && error.status > 0;
    if ((!isRetryable(error) && !isErrorPage) || tries >= retries.maxTries) throw error;
    if (!retries.spend())
      throw new S3Error('BudgetExhausted', `The retry budget is spent. The last error was ${error.code}: ${error.message}`, {
        cause: error,
        tries,
      });
    const delayMs = Math.round(retries.delay(tries, error));
    emit({ type: 'retry', name, code: error.code, message: error.message, tries, delayMs });
    await sleep(delayMs, signal);
  }
}
