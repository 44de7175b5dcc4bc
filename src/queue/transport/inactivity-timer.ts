/**
 * Calls back after a time without activity, and again each time that twice the previous time passes. It never limits the whole
 * duration of a transfer that moves. `reset` is cheap, because it leaves the running timer alone: the timer checks the last activity.
 */
export class InactivityTimer {
  #lastActivity = performance.now();
  #limitMs: number;
  #timer: ReturnType<typeof setTimeout>;

  /** @param limitMs milliseconds without activity */
  constructor(
    limitMs: number,
    private readonly onInactive: () => void,
  ) {
    this.#limitMs = limitMs;
    this.#timer = setTimeout(this.#check, limitMs);
  }

  /** Notes activity. */
  reset(limitMs = this.#limitMs): void {
    this.#lastActivity = performance.now();
    this.#limitMs = limitMs;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #check = (): void => {
    const remainingMs = this.#lastActivity + this.#limitMs - performance.now();
    const isInactive = remainingMs <= 0;
    if (isInactive) this.reset(this.#limitMs * 2);
    this.#timer = setTimeout(this.#check, isInactive ? this.#limitMs : remainingMs);
    if (isInactive) this.onInactive();
  };
}
