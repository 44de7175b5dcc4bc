import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** Moves the focus to the list, or to the button that opens the picker, if a render removes the focused button. */
export class FocusKeeper implements ReactiveController {
  #focused: Element | null = null;

  constructor(private readonly host: ReactiveControllerHost & HTMLElement) {}

  hostUpdate(): void {
    const focused = this.host.shadowRoot?.activeElement ?? null;
    // A button that lost the focus counts until something can take it, such as the list whose code is being loaded.
    const isStillLost = this.#focused !== null && focused === null && this.#isFocusOnBody;
    if (!isStillLost) this.#focused = focused;
  }

  hostUpdated(): void {
    const focused = this.#focused;
    if (focused === null) return;
    const isLost = !focused.isConnected || focused.matches(':disabled');
    // Without focus, the next Tab would start at the top of the page.
    const root = this.host.shadowRoot!;
    const target = root.querySelector<HTMLElement>('[part=list]') ?? root.querySelector<HTMLElement>('.pick:enabled');
    if (isLost) target?.focus({ preventScroll: true });
    if (!isLost || target) this.#focused = null;
  }

  hostDisconnected(): void {
    this.#focused = null;
  }

  get #isFocusOnBody(): boolean {
    const { activeElement, body } = this.host.ownerDocument;
    return activeElement === body;
  }
}
