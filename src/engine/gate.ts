import { within } from './waiting.js';

export type GateChange = 'online' | 'offline' | 'released';

/** When requests may go: the browser is online, and the service asked for no pause. */
export class Gate {
  #heldUntil = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #controller = new AbortController();

  /** @param changed called when the browser went offline or online, and when a pause is over */
  constructor(private readonly changed: (what: GateChange) => void) {
    if (typeof addEventListener !== 'function') return;
    const { signal } = this.#controller;
    addEventListener('online', () => changed('online'), { signal });
    addEventListener('offline', () => changed('offline'), { signal });
  }

  get online(): boolean {
    return globalThis.navigator?.onLine ?? true;
  }

  get open(): boolean {
    return this.online && Date.now() >= this.#heldUntil;
  }

  /** The service asked all of us to wait. @param ms milliseconds from now */
  hold(ms: number): void {
    const until = Date.now() + ms;
    if (until <= this.#heldUntil) return;
    this.#heldUntil = until;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.changed('released'), ms + 1);
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
    this.#controller.abort();
    clearTimeout(this.#timer);
  }
}
