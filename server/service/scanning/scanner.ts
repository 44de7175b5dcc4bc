import { PollingLoop } from '../runtime/polling-loop.js';
import { SCAN_LEASE_MS } from '../storage/scans/scan-queue.js';
import type { ScanQueue, ScanResult, ScanTask } from '../storage/scans/scan-queue.js';
import { pingClamd, scanWithClamd } from './clamd.js';
import type { ClamdTimeouts } from './clamd.js';
import type { ScannerAddress } from './scanner-address.js';

/** Scans of this process at once. clamd has 10 threads by default, which the replicas share. */
const MAX_RUNNING = 4;
/** Scans of one account at once, so that its slow files never occupy every place. */
const MAX_RUNNING_OF_ACCOUNT = MAX_RUNNING - 1;
/** Interval at which files of other replicas, and files to try again, are found. */
const POLL_MS = 2000;
/** After a wake, the transaction of the new file may not have committed yet. The next rounds follow after these times. */
const AFTER_WAKE_MS = [10, 50, 200] as const;
/** Time after which the scanner is checked again. */
const CHECK_MS = 5000;
/** The same while it is unavailable. */
const CHECK_UNAVAILABLE_MS = 1000;
/** Interval at which the waiting files are counted. */
const COUNT_MS = 10_000;
const FIRST_RETRY_MS = 2000;
const MAX_RETRY_MS = 300_000;
/** A file whose scan failed after a long time waits for so many times as long, so that it does not occupy a place for long. */
const RETRY_AFTER_DURATIONS = 9;
const MAX_RETRY_OF_SLOW_MS = 3_600_000;

/** A finished scan, for log and metrics. */
export interface ScanReport {
  file: string;
  result: ScanResult;
  milliseconds: number;
}

export interface ScannerOptions {
  queue: ScanQueue;
  address: ScannerAddress;
  timeouts?: ClamdTimeouts;
  onResult(report: ScanReport): void;
  /** Receives the failure of a scan, which is tried again. */
  onScanFailure(file: string, cause: unknown): void;
  /** Called after the first check of the scanner and after each change. @param cause why it is unavailable */
  onAvailability(isAvailable: boolean, cause?: unknown): void;
  /** Receives how many files wait, and for how long, ms. */
  onWaiting(waiting: { files: number; oldest: number }): void;
  /** Receives errors of the database. A later round tries again. */
  onFailure(cause: unknown): void;
}

/** Scans new files for viruses. Each replica runs one scanner. A lease in the database gives each file to one of them. */
export class Scanner {
  readonly #options: ScannerOptions;
  /** The account of each running scan. */
  readonly #running = new Map<Promise<void>, string>();
  readonly #loop: PollingLoop;
  /** Interrupts running scans. */
  readonly #stop = new AbortController();
  /** Rounds since the last wake. */
  #rounds: number = AFTER_WAKE_MS.length;
  #isAvailable: boolean | undefined;
  #checkedAt = -Infinity;
  #countedAt = -Infinity;

  constructor(options: ScannerOptions) {
    this.#options = options;
    const { onFailure } = options;
    this.#loop = new PollingLoop({ interval: POLL_MS, pause: AFTER_WAKE_MS[0], round: () => this.#round(), onFailure });
  }

  start(): void {
    this.#loop.start();
  }

  /** Looks for new files at once. */
  wake(): void {
    this.#rounds = 0;
    this.#loop.wake();
  }

  /** Interrupts running scans and gives their files back for other replicas. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop.stop();
    await Promise.all(this.#running.keys());
  }

  /** @returns the time until the next round, ms. */
  async #round(): Promise<number> {
    await this.#count();
    if (await this.#check()) await this.#beginScans();
    return AFTER_WAKE_MS[this.#rounds++] ?? POLL_MS;
  }

  async #beginScans(): Promise<void> {
    const places = MAX_RUNNING - this.#running.size;
    if (places <= 0 || this.#stop.signal.aborted) return;
    const ofAccounts = [...this.#running.values()];
    const isFull = (accountId: string, taken: number) =>
      ofAccounts.filter((id) => id === accountId).length + taken >= MAX_RUNNING_OF_ACCOUNT;
    for (const task of await this.#options.queue.take(places, isFull)) this.#begin(task);
  }

  async #count(): Promise<void> {
    if (performance.now() < this.#countedAt + COUNT_MS) return;
    this.#countedAt = performance.now();
    this.#options.onWaiting(await this.#options.queue.waiting());
  }

  /** Checks at times whether the scanner responds. */
  async #check(): Promise<boolean> {
    const interval = this.#isAvailable === true ? CHECK_MS : CHECK_UNAVAILABLE_MS;
    if (performance.now() < this.#checkedAt + interval) return this.#isAvailable === true;
    const { address, timeouts } = this.#options;
    const { signal } = this.#stop;
    try {
      await pingClamd(address, { signal, ...(timeouts && { timeouts }) });
      this.#setAvailable(true);
    } catch (cause) {
      if (!signal.aborted) this.#setAvailable(false, cause);
    }
    this.#checkedAt = performance.now();
    return this.#isAvailable === true;
  }

  #setAvailable(isAvailable: boolean, cause?: unknown): void {
    const wasAvailable = this.#isAvailable;
    this.#isAvailable = isAvailable;
    this.#options.queue.policy.isScannerAvailable = isAvailable;
    if (wasAvailable !== isAvailable) this.#options.onAvailability(isAvailable, cause);
  }

  #begin(task: ScanTask): void {
    const scan = this.#scan(task)
      .catch((cause: unknown) => this.#options.onFailure(cause))
      .finally(() => {
        this.#running.delete(scan);
        this.#loop.wake();
      });
    this.#running.set(scan, task.accountId);
  }

  async #scan(task: ScanTask): Promise<void> {
    const { queue, address, timeouts, onResult, onScanFailure } = this.#options;
    const lost = new AbortController();
    const signal = AbortSignal.any([this.#stop.signal, lost.signal]);
    const renewal = setInterval(() => {
      // If the database does not respond, the lease ends by itself, and `settle` notices.
      void queue.renew(task).then(
        (isHeld) => void (isHeld || lost.abort()),
        () => {},
      );
    }, SCAN_LEASE_MS / 3);
    const start = performance.now();
    try {
      const result = await scanWithClamd(address, (ended) => task.read(ended), { signal, ...(timeouts && { timeouts }) });
      if (await queue.settle(task, result)) onResult({ file: task.id, result, milliseconds: performance.now() - start });
    } catch (cause) {
      if (lost.signal.aborted) return;
      if (this.#stop.signal.aborted) return await queue.giveBack(task);
      onScanFailure(task.id, cause);
      // The scanner may be gone.
      this.#checkedAt = -Infinity;
      await queue.retry(task, retryDelay(task.attempts, performance.now() - start));
    } finally {
      clearInterval(renewal);
    }
  }
}

/** @param duration of the failed scan, ms. @returns ms */
export function retryDelay(attempts: number, duration: number): number {
  const delay = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempts, 16));
  return Math.max(delay, Math.min(MAX_RETRY_OF_SLOW_MS, Math.round(RETRY_AFTER_DURATIONS * duration)));
}
