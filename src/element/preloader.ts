import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** Events at the element after which a person may choose a file. The picker stays open for longer than the code takes to load. */
const APPROACH_EVENTS = ['pointerenter', 'focusin', 'dragenter', 'click'] as const;

/** Delay in milliseconds where a browser has no `requestIdleCallback` (WebKit). */
const IDLE_FALLBACK_MS = 500;

/**
 * Decides when the element loads the code that only chosen files need: when the page is loaded and the browser is idle, or earlier when
 * a person approaches the element. If the person asks to save data, the idle time does not count. Otherwise the first file loads it.
 */
export class Preloader implements ReactiveController {
  #isScheduled = false;

  constructor(
    private readonly host: ReactiveControllerHost & HTMLElement,
    private readonly load: () => void,
  ) {}

  hostConnected(): void {
    for (const type of APPROACH_EVENTS) this.host.addEventListener(type, this.#onApproach);
  }

  hostUpdated(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const { connection } = navigator as Navigator & { connection?: { saveData?: boolean } };
    if (connection?.saveData) return;
    if (document.readyState === 'complete') this.#loadWhenIdle();
    else addEventListener('load', () => this.#loadWhenIdle(), { once: true });
  }

  #loadWhenIdle(): void {
    if (typeof requestIdleCallback === 'function') requestIdleCallback(this.#onApproach);
    else setTimeout(this.#onApproach, IDLE_FALLBACK_MS);
  }

  readonly #onApproach = (): void => {
    // An import that fails offline would be remembered by the browser.
    if (!navigator.onLine) return;
    for (const type of APPROACH_EVENTS) this.host.removeEventListener(type, this.#onApproach);
    this.load();
  };
}
