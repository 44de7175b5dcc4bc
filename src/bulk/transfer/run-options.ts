import type { Journal } from '../journal/resume-journal.js';
import type { Progress, TransferEvent } from '../types.js';

/** Callbacks that report a running transfer. An error that a callback throws ends the transfer with `ListenerFailed`. */
export interface ListenerOptions {
  /** Called for every event: files done, skipped or failed, retries, waiting for the store. */
  onEvent?: (event: TransferEvent) => void;
  /** Called every 250 ms and once at the end. */
  onProgress?: (progress: Progress) => void;
}

/** Retries of requests. Times in milliseconds, from 0. */
export interface RetryOptions {
  /** Attempts of one request before it counts as failed. From 1. @default 8 */
  tries?: number;
  /** Longest delay before the second attempt. It doubles with every attempt. @default 100 */
  baseDelay?: number;
  /** Longest delay between two attempts. @default 20000 */
  maxDelay?: number;
  /**
   * Retries that the whole transfer may spend, from 0. Every ten successful requests add one.
   * The budget protects a failing store from the retries of every file. @default 500
   */
  budget?: number;
  /**
   * Time to wait for a store that responded before and cannot be reached now, such as a restarting gateway. These retries count
   * against neither `tries` nor `budget`. 0 disables waiting.
   * @default 0
   */
  patience?: number;
}

/** Options of every method that sends requests. */
export interface RunOptions extends ListenerOptions {
  /** Stops the transfer. It rejects with `Aborted`; the error's `summary` tells what was done. */
  signal?: AbortSignal;
  /** Fixed number of parallel requests, 1 to 1024. @default adapts to the measured throughput */
  concurrency?: number;
  /** Upper bound for adaptive concurrency, 1 to 1024. @default 128 */
  maxConcurrency?: number;
  /** Bytes of file contents held in memory at once. From 1. @default 41943040 (40 MiB) */
  memory?: number;
  /** Attempts, delays and budget of retries. */
  retry?: RetryOptions;
  /** Reports what would be done and changes nothing. @default false */
  dryRun?: boolean;
  /**
   * Journal from which an interrupted transfer resumes. The transfer closes it at its end.
   * A call that is refused with `InvalidOption` leaves it open, and so does an upload session. @default no journal
   */
  journal?: Journal;
}
