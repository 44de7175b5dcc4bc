import type { ReactiveController, ReactiveControllerHost } from 'lit';

const INTERVAL_MS = 1000;

/** Renders once a second while the element shows a text that depends on the time: time left, or the time of the next retry. */
export class Clock implements ReactiveController {
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly host: ReactiveControllerHost & HTMLElement) {}

  hostUpdated(): void {
    if (this.host.shadowRoot!.querySelector('.waiting,.busy')) this.#timer ??= setTimeout(this.#render, INTERVAL_MS);
  }

  hostDisconnected(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  readonly #render = (): void => {
    this.#timer = undefined;
    this.host.requestUpdate();
  };
}
