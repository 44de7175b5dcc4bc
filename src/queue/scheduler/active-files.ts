import type { BlobError } from '../../protocol/errors.js';
import { createIdempotencyKey } from '../idempotency-key.js';
import type { QueueItem } from '../queue-item.js';
import type { QueueState } from '../queue-state.js';
import type { UploadState } from '../types.js';
import { SEND_AGAIN } from '../outcome.js';

/** The files that are in a request, wait for their next attempt, or are paused. Each method changes the state of one file. */
export class ActiveFiles {
  readonly #items = new Set<QueueItem>();

  constructor(private readonly state: QueueState) {}

  /** Returns the active files whose state has one of these statuses, or all of them. */
  list(...statuses: UploadState['status'][]): QueueItem[] {
    return [...this.#items].filter(({ state }) => statuses.length === 0 || statuses.includes(state.status));
  }

  /** Puts a queued file into a request. */
  enter(item: QueueItem, request: AbortController): void {
    item.idempotencyKey ??= createIdempotencyKey();
    item.request = request;
    this.#items.add(item);
    this.state.change(item, { status: 'uploading', phase: 'token', sent: item.sent, attempt: item.failures + 1 });
  }

  /** Takes a file out of its request or its wait. The request ends, and its other files are sent again. */
  leave(item: QueueItem): void {
    const { request } = item;
    item.request = undefined;
    item.retryTimer = undefined;
    this.#items.delete(item);
    request?.abort(SEND_AGAIN);
  }

  /** Lets a file wait. @param retryAt a `Date.now()` time; null: until the browser is online again */
  wait(item: QueueItem, error: BlobError, retryAt: number | null): void {
    this.#hold(item, { status: 'waiting', sent: item.sent, attempt: item.failures + 1, retryAt, error });
  }

  pause(item: QueueItem): void {
    this.#hold(item, { status: 'paused', sent: item.sent });
  }

  /** Ends the activity of a file. */
  close(item: QueueItem, state: UploadState): void {
    item.retryTimer = undefined;
    this.#items.delete(item);
    this.#changeState(item, state);
  }

  #hold(item: QueueItem, state: UploadState): void {
    if (item.isRemoved) return;
    this.#items.add(item);
    this.#changeState(item, state);
  }

  #changeState(item: QueueItem, state: UploadState): void {
    item.request = undefined;
    // The rest of a wait that ends early does not count: the file did not wait for it.
    const remainingMs = item.state.status === 'waiting' ? (item.state.retryAt ?? 0) - Date.now() : 0;
    item.waitedMs -= Math.min(item.waitedMs, Math.max(0, remainingMs));
    this.state.change(item, state);
  }
}
