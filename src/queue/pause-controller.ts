import { within } from './tasks.js';

export type GateChange = 'online' | 'offline' | 'visible' | 'released';

/** When requests may go: the browser is online, and the service asked for no pause. */
export class Gate {
  #heldUntil = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #listening: AbortController | undefined;

  /** @param changed called when the browser went offline or online, the person looks at the page again, and when a pause is over */
  constructor(private readonly changed: (what: GateChange) => void) {}

  /**
   * Listens to the page only while something is to be sent and not paused. A listener or a timer would keep an element in memory that
   * was removed from the page during its upload.
   */
  listen(isWanted: boolean): void {
    if (isWanted === (this.#listening !== undefined) || typeof addEventListener !== 'function') return;
    this.#listening?.abort();
    this.#listening = isWanted ? new AbortController() : undefined;
    if (!this.#listening) {
      clearTimeout(this.#timer);
      return;
    }
    if (this.left > 0) this.#endAfter(this.left);
    const { signal } = this.#listening;
    addEventListener('online', () => this.changed('online'), { signal });
    addEventListener('offline', () => this.changed('offline'), { signal });
    // A worker has no page that is looked at.
    if (typeof document === 'undefined') return;
    const looked = () => document.visibilityState === 'visible' && this.changed('visible');
    document.addEventListener('visibilitychange', looked, { signal });
  }

  get online(): boolean {
    return globalThis.navigator?.onLine ?? true;
  }

  get open(): boolean {
    return this.online && this.left === 0;
  }

  /** Milliseconds that are left of a pause. */
  get left(): number {
    return Math.max(0, this.#heldUntil - Date.now());
  }

  /** The service asked all of us to wait. @param ms milliseconds from now */
  hold(ms: number): void {
    const until = Date.now() + ms;
    if (until <= this.#heldUntil) return;
    this.#heldUntil = until;
    this.#endAfter(ms);
  }

  #endAfter(ms: number): void {
    clearTimeout(this.#timer);
    // It is over when the timer says so: by the clock, which may be put back meanwhile, it might never be.
    this.#timer = setTimeout(() => {
      this.#heldUntil = 0;
      this.changed('released');
    }, ms + 1);
  }

  /** The person wants to try now. */
  release(): void {
    this.#heldUntil = 0;
    clearTimeout(this.#timer);
  }

  async untilOnline(signal: AbortSignal): Promise<void> {
    if (this.online) return;
    const online = new Promise<void>((resolve) => {
      addEventListener('online', () => resolve(), { once: true, signal });
    });
    await within(online, signal);
  }

  destroy(): void {
    this.listen(false);
    clearTimeout(this.#timer);
  }
}
