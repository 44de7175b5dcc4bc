import { S3Error } from './errors.js';

/** @throws S3Error `Aborted` */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw abortError(signal);
}

/** Returns the error for an aborted signal: its reason if that is an `S3Error`, else `Aborted`. */
export const abortError = (signal: AbortSignal): S3Error =>
  signal.reason instanceof S3Error
    ? signal.reason
    : new S3Error('Aborted', 'The transfer was stopped.', { cause: signal.reason });

/** Resolves after `ms` milliseconds. Rejects as soon as the signal aborts. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortError(signal));
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(abortError(signal));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal.addEventListener('abort', onAbort, { once: true });
    return undefined;
  });
}

/**
 * Waits for a promise that may never settle, until the signal aborts.
 * @throws S3Error `Aborted`, or the promise's own error
 */
export async function unlessAborted<Result>(promise: PromiseLike<Result>, signal: AbortSignal): Promise<Result> {
  // A derived signal takes the listener: platforms warn of a leak when hundreds of listeners share one signal.
  const waiting = new AbortableWait(AbortSignal.any([signal]));
  try {
    return await waiting.race(promise);
  } finally {
    await waiting.close(() => undefined);
  }
}

/**
 * Waits for many promises in a row, each of which may never settle, until a signal aborts.
 * Registers one abort listener. One listener per promise would leak with millions of them.
 */
export class AbortableWait {
  #rejectPending = (): void => {};
  #isAborted = false;
  #graceTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #onAbort = (): void => {
    const graceMs = this.graceMs();
    const stop = (): void => {
      this.#isAborted = true;
      this.#rejectPending();
    };
    if (graceMs === 0) stop();
    else this.#graceTimer = setTimeout(stop, graceMs);
  };

  /** @param graceMs returns how long to keep waiting after the signal aborts, in milliseconds; called when it aborts */
  constructor(
    private readonly signal: AbortSignal,
    private readonly graceMs: () => number = () => 0,
  ) {
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** @throws S3Error `Aborted`, or the promise's own error */
  race<Result>(promise: PromiseLike<Result> | Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#rejectPending = () => reject(abortError(this.signal));
      Promise.resolve(promise).then(resolve, reject);
      if (this.#isAborted) this.#rejectPending();
    });
  }

  /**
   * Removes the listener and runs `last`.
   * @param last awaited unless the signal has aborted, because it may be queued behind a promise that never settles
   */
  async close(last: () => unknown): Promise<void> {
    this.signal.removeEventListener('abort', this.#onAbort);
    clearTimeout(this.#graceTimer);
    const closing = last();
    if (!this.#isAborted) await closing;
    else Promise.resolve(closing).catch(() => {});
  }
}
