/** Whether a service worker stands between the page and the line: browsers then tell of no upload how far it is. */
export function isBehindWorker(): boolean {
  try {
    return Boolean(navigator.serviceWorker.controller);
  } catch {
    // None here, or a sandboxed frame, which may not ask.
    return false;
  }
}

/**
 * Calls back when nothing was noted for a while, and then each time that such a while, twice as long as before, goes by. A slow transfer that moves is never ended, however long it takes.
 * Noting is free: the timer is not touched, it looks back when it rings.
 */
export class Watchdog {
  #last = performance.now();
  #patience: number;
  #timer: ReturnType<typeof setTimeout>;

  /** @param patience milliseconds */
  constructor(
    patience: number,
    private readonly stalled: () => void,
  ) {
    this.#patience = patience;
    this.#timer = setTimeout(this.#ring, patience);
  }

  note(patience = this.#patience): void {
    this.#last = performance.now();
    this.#patience = patience;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #ring = (): void => {
    const left = this.#last + this.#patience - performance.now();
    if (left <= 0) this.note(this.#patience * 2);
    this.#timer = setTimeout(this.#ring, left > 0 ? left : this.#patience);
    if (left <= 0) this.stalled();
  };
}
