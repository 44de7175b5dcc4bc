import type { LitElement, ReactiveController } from 'lit';

/** Moves the focus when an update removes the focused element, such as a deleted row. The keyboard would start at the top of the page. */
export class KeepFocus implements ReactiveController {
  #hadFocus = false;

  /** @param next returns the element that gets the focus */
  constructor(
    private readonly host: LitElement,
    private readonly next: () => HTMLElement | null,
  ) {
    host.addController(this);
  }

  hostUpdate(): void {
    this.#hadFocus = this.host.shadowRoot?.activeElement != null;
  }

  hostUpdated(): void {
    if (this.#hadFocus && this.host.shadowRoot?.activeElement == null) this.next()?.focus({ preventScroll: true });
  }
}
