import { S3Error } from '../errors.js';

/** @throws S3Error `Aborted` */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw aborted(signal);
}

export const aborted = (signal: AbortSignal): S3Error =>
  signal.reason instanceof S3Error ? signal.reason : new S3Error('Aborted', 'The run was stopped.', { cause: signal.reason });

/** Resolves after `ms`; rejects as soon as the signal fires. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(aborted(signal));
    const stop = (): void => {
      clearTimeout(timer);
      reject(aborted(signal));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
    return undefined;
  });
}

/** Waits for one who may never answer. @throws S3Error `Aborted`, or what the promise failed with */
export async function unlessAborted<Word>(word: PromiseLike<Word>, signal: AbortSignal): Promise<Word> {
  // Hundreds wait at once, and on the signal of the run platforms would call that a leak.
  const listening = new Listening(AbortSignal.any([signal]));
  try {
    return await listening.to(word);
  } finally {
    await listening.close(() => undefined);
  }
}

/** Waits for somebody who may never say another word, until a signal: one ear for all of it, as there may be millions of words. */
export class Listening {
  #stop = (): void => {};
  #over = false;
  #grace: ReturnType<typeof setTimeout> | undefined;
  readonly #end = (): void => {
    const graceMs = this.graceMs();
    const stop = (): void => {
      this.#over = true;
      this.#stop();
    };
    if (graceMs === 0) stop();
    else this.#grace = setTimeout(stop, graceMs);
  };

  /** @param graceMs asked for when the signal fires: how much longer may be waited all the same */
  constructor(
    private readonly signal: AbortSignal,
    private readonly graceMs: () => number = () => 0,
  ) {
    if (signal.aborted) this.#end();
    else signal.addEventListener('abort', this.#end, { once: true });
  }

  /** @throws S3Error `Aborted`, or what the promise failed with */
  to<Word>(word: PromiseLike<Word> | Word): Promise<Word> {
    return new Promise((resolve, reject) => {
      this.#stop = () => reject(aborted(this.signal));
      Promise.resolve(word).then(resolve, reject);
      if (this.#over) this.#stop();
    });
  }

  /** Ends it. @param last is waited for, unless the signal came first: it may stand in line behind a word that never comes */
  async close(last: () => unknown): Promise<void> {
    this.signal.removeEventListener('abort', this.#end);
    clearTimeout(this.#grace);
    const closing = last();
    if (!this.#over) await closing;
    else Promise.resolve(closing).catch(() => {});
  }
}
