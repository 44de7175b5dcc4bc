import type { ReactiveController, ReactiveControllerHost } from 'lit';

const SECOND = 1000;

/** What a drawing leaves to be looked after: a focus whose button is gone, and what changes with time alone. */
export class Upkeep implements ReactiveController {
  #held: Element | null = null;
  #tick: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly host: ReactiveControllerHost & HTMLElement) {}

  hostUpdate(): void {
    this.#held = this.host.shadowRoot?.activeElement ?? null;
  }

  hostUpdated(): void {
    const root = this.host.shadowRoot!;
    const held = this.#held;
    // Else the next Tab would begin at the top of the page.
    if (held !== null && (!held.isConnected || held.matches(':disabled')))
      (root.querySelector<HTMLElement>('[part=list]') ?? root.querySelector<HTMLElement>('.pick:enabled'))?.focus({
        preventScroll: true,
      });
    if (root.querySelector('.waiting,.busy')) this.#tick ??= setTimeout(this.#again, SECOND);
  }

  hostDisconnected(): void {
    clearTimeout(this.#tick);
    this.#tick = undefined;
  }

  readonly #again = (): void => {
    this.#tick = undefined;
    this.host.requestUpdate();
  };
}
