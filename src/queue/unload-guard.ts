/**
 * While files are in flight: leaving the page asks first, and the screen (with it the phone's network) stays awake where the
 * browser has a wake lock. Nothing of it is left when nothing is in flight, so that the page can be kept for Back.
 */
export class UnloadGuard {
  #controller: AbortController | undefined;

  set(busy: boolean): void {
    if (busy === (this.#controller !== undefined) || typeof window === 'undefined') return;
    if (!busy) {
      this.#controller!.abort();
      this.#controller = undefined;
      return;
    }
    this.#controller = new AbortController();
    const { signal } = this.#controller;
    addEventListener('beforeunload', (event) => event.preventDefault(), { signal });
    void stayAwake(signal);
    // The browser takes the lock back when the page is hidden.
    document.addEventListener('visibilitychange', () => void stayAwake(signal), { signal });
  }
}

async function stayAwake(signal: AbortSignal): Promise<void> {
  if (document.visibilityState !== 'visible') return;
  try {
    const lock = await navigator.wakeLock?.request('screen');
    if (signal.aborted) await lock?.release();
    else signal.addEventListener('abort', () => void lock?.release(), { once: true });
  } catch {
    // Refused: low battery, a frame without the permission. The upload goes on without it.
  }
}
