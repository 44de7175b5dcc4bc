const askBeforeLeaving = (event: Event): void => event.preventDefault();

/** Asks before the page is left while files are sent. No listener remains afterwards, so that the browser can cache the page for Back. */
export class UnloadGuard {
  #isActive = false;

  set(isBusy: boolean): void {
    if (isBusy === this.#isActive || typeof window === 'undefined') return;
    this.#isActive = isBusy;
    if (isBusy) addEventListener('beforeunload', askBeforeLeaving);
    else removeEventListener('beforeunload', askBeforeLeaving);
  }
}
