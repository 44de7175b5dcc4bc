import { BlobError } from '../../protocol/errors.js';
import type { QueueItem } from '../queue-item.js';
import type { QueueState } from '../queue-state.js';
import { findReadErrors, isTruncated } from '../verification/unreadable-file.js';
import { InactivityTimer } from './inactivity-timer.js';

/** The service may take this many times longer for its response than the transfer may stand still. */
const FINISHING_FACTOR = 4;

/** Bytes per millisecond of the slowest connection. It bounds a request whose progress the browser does not report. */
const SLOWEST_RATE = 10;

/** Milliseconds without progress before the files are checked: Firefox and WebKit stand still at a deleted file. */
const READ_CHECK_MS = 3000;

/** The longest delay of a timer, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface StallMonitorOptions {
  /** Milliseconds without progress; null where a page's own transport watches itself. */
  stallAfter: number | null;
  /** Ends the request. */
  request: AbortController;
}

/**
 * Watches the progress of one request and reports it to the queue. It aborts the request with `STALLED` if nothing moves, or if one of
 * its files can no longer be read.
 */
export class StallMonitor {
  readonly #sentBytes = new Map<QueueItem, number>();
  readonly #readCheck: InactivityTimer;
  readonly #stallTimer: InactivityTimer;
  readonly #request: AbortController;
  readonly #stallAfter: number;
  #remainingBytes: number;
  #hasEnded = false;
  /** Browsers report no progress of a request that a service worker carries. */
  #hasNoProgress = isServiceWorkerActive();

  constructor(
    private readonly items: readonly QueueItem[],
    private readonly state: QueueState,
    { stallAfter, request }: StallMonitorOptions,
  ) {
    this.#request = request;
    this.#stallAfter = stallAfter ?? MAX_TIMER_MS;
    this.#remainingBytes = items.reduce((sum, { size }) => sum + size, 0);
    this.#readCheck = new InactivityTimer(stallAfter === null ? MAX_TIMER_MS : READ_CHECK_MS, () => void this.#checkFiles());
    this.#stallTimer = new InactivityTimer(this.#stallAfter, this.#abortStalled);
    for (const item of items) this.onProgress(item, 0);
  }

  /** Aborts the request, because a file of it cannot be read. The scheduler then finds out which one. */
  readonly abortUnreadable = (): void => {
    if (!this.#hasEnded) this.#request.abort(new BlobError('STALLED', 'A file cannot be read.'));
  };

  /** @param sent bytes of the file that were sent so far */
  readonly onProgress = (item: QueueItem, sent: number): void => {
    if (sent > 0) this.#hasNoProgress = false;
    const added = this.#setSent(item, sent);
    this.state.totals.speedMeter?.add(added, item.size);
  };

  /**
   * Notes bytes that the service had before this request. They count as a success of the attempts before, because a long file may be
   * interrupted often. Only bytes beyond all earlier reports count: a service that contradicts itself must not be asked forever.
   */
  onResumed(item: QueueItem, offset: number): void {
    if (offset > item.confirmedBytes) {
      item.failures = item.outageFailures = item.waitedMs = 0;
      item.confirmedBytes = offset;
    }
    this.#setSent(item, offset);
  }

  stop(): void {
    this.#hasEnded = true;
    this.#stallTimer.stop();
    this.#readCheck.stop();
  }

  async #checkFiles(): Promise<void> {
    const errors = await findReadErrors(this.items);
    // After the last byte only the response counts, unless the file ended early.
    const isUnreadable = this.#remainingBytes > 0 ? errors.length > 0 : errors.some(isTruncated);
    if (isUnreadable) this.abortUnreadable();
  }

  readonly #abortStalled = (): void => {
    for (const item of this.items) this.state.events.emit('stall', { item });
    const seconds = Math.round(this.#stallAfter / 1000);
    this.#request.abort(new BlobError('STALLED', `Nothing moved for ${seconds} seconds.`));
  };

  /** @returns the bytes that were added; negative if a transport takes back bytes that it has to send again */
  #setSent(item: QueueItem, sent: number): number {
    const added = sent - (this.#sentBytes.get(item) ?? 0);
    this.#sentBytes.set(item, sent);
    this.#remainingBytes -= added;
    const isFinishing = this.#remainingBytes <= 0;
    this.#readCheck.reset(isFinishing ? this.#stallAfter : READ_CHECK_MS);
    this.#stallTimer.reset(Math.min(MAX_TIMER_MS, this.#stallLimit(isFinishing)));
    if (item.request === this.#request) this.state.setProgress(item, sent, item.failures + 1);
    return added;
  }

  #stallLimit(isFinishing: boolean): number {
    const finishingLimit = this.#stallAfter * FINISHING_FACTOR;
    if (this.#hasNoProgress) return finishingLimit + this.#remainingBytes / SLOWEST_RATE;
    return isFinishing ? finishingLimit : this.#stallAfter;
  }
}

/** Returns whether a service worker handles the requests of the page. */
export function isServiceWorkerActive(): boolean {
  try {
    return Boolean(navigator.serviceWorker.controller);
  } catch {
    // There is none in Node, and a sandboxed frame may not ask.
    return false;
  }
}
