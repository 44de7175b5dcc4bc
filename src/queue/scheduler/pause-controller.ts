import { abortable } from '../abortable.js';

export type PauseChange = 'online' | 'offline' | 'visible' | 'resumed';

/** Decides when requests may start: the browser is online, and no pause is in effect that the service asked for. */
export class PauseController {
  #pausedUntil = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #listeners: AbortController | undefined;

  /** @param onChange called when the browser goes offline or online, when the page becomes visible, and when a pause ends */
  constructor(private readonly onChange: (change: PauseChange) => void) {}

  /**
   * Starts or stops listening to the page. It listens only while files are to be sent: a listener or a timer would keep a removed element
   * in memory.
   */
  listen(isWanted: boolean): void {
    if (isWanted === (this.#listeners !== undefined) || typeof addEventListener !== 'function') return;
    this.#listeners?.abort();
    this.#listeners = isWanted ? new AbortController() : undefined;
    if (!this.#listeners) {
      clearTimeout(this.#timer);
      return;
    }
    if (this.remainingMs > 0) this.#endPauseAfter(this.remainingMs);
    const { signal } = this.#listeners;
    addEventListener('online', () => this.onChange('online'), { signal });
    addEventListener('offline', () => this.onChange('offline'), { signal });
    // A worker has no document.
    if (typeof document === 'undefined') return;
    const onVisibilityChange = () => document.visibilityState === 'visible' && this.onChange('visible');
    document.addEventListener('visibilitychange', onVisibilityChange, { signal });
  }

  get isOnline(): boolean {
    return globalThis.navigator?.onLine ?? true;
  }

  get canSend(): boolean {
    return this.isOnline && this.remainingMs === 0;
  }

  /** Milliseconds until the pause ends. */
  get remainingMs(): number {
    return Math.max(0, this.#pausedUntil - Date.now());
  }

  /** Pauses all requests for at least this many milliseconds. */
  pauseFor(ms: number): void {
    const until = Date.now() + ms;
    if (until <= this.#pausedUntil) return;
    this.#pausedUntil = until;
    this.#endPauseAfter(ms);
  }

  /** Ends a pause now, because the person wants to try again. */
  endPause(): void {
    this.#pausedUntil = 0;
    clearTimeout(this.#timer);
  }

  async untilOnline(signal: AbortSignal): Promise<void> {
    if (this.isOnline) return;
    const online = new Promise<void>((resolve) => {
      addEventListener('online', () => resolve(), { once: true, signal });
    });
    await abortable(online, signal);
  }

  destroy(): void {
    this.listen(false);
    clearTimeout(this.#timer);
  }

  #endPauseAfter(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      // The timer decides, not the clock, which may have been set back meanwhile.
      this.#pausedUntil = 0;
      this.onChange('resumed');
    }, ms + 1);
  }
}
