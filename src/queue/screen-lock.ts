/** Keeps the screen on while files are sent, if the browser has wake locks. A phone with its screen off may disconnect. */
export class ScreenLock {
  #controller: AbortController | undefined;

  set(isBusy: boolean): void {
    // A worker has no document.
    if (isBusy === (this.#controller !== undefined) || typeof document === 'undefined') return;
    if (!isBusy) {
      this.#controller!.abort();
      this.#controller = undefined;
      return;
    }
    this.#controller = new AbortController();
    const { signal } = this.#controller;
    void requestLock(signal);
    // The browser releases the lock when the page is hidden.
    document.addEventListener('visibilitychange', () => void requestLock(signal), { signal });
  }
}

async function requestLock(signal: AbortSignal): Promise<void> {
  if (document.visibilityState !== 'visible') return;
  try {
    const lock = await navigator.wakeLock?.request('screen');
    if (signal.aborted) await lock?.release();
    else signal.addEventListener('abort', () => void lock?.release(), { once: true });
  } catch {
    // The browser refuses a lock on low battery, or in a frame without the permission. The upload continues.
  }
}
