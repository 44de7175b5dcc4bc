/**
 * Asks before the page is left while files are sent, and keeps the screen on if the browser has wake locks. A phone with its screen off
 * may disconnect. No listener remains afterwards, so that the browser can cache the page for the Back button.
 */
export class UnloadGuard {
  #controller: AbortController | undefined;

  set(isBusy: boolean): void {
    if (isBusy === (this.#controller !== undefined) || typeof window === 'undefined') return;
    if (!isBusy) {
      this.#controller!.abort();
      this.#controller = undefined;
      return;
    }
    this.#controller = new AbortController();
    const { signal } = this.#controller;
    addEventListener('beforeunload', (event) => event.preventDefault(), { signal });
    void stayAwake(signal);
    // The browser releases the lock when the page is hidden.
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
    // The browser refuses a lock on low battery, or in a frame without the permission. The upload continues.
  }
}
