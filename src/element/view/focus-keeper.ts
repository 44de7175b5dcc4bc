import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** Moves the focus to the list, or to the button that opens the picker, if a render removes the focused button. */
export class FocusKeeper implements ReactiveController {
  #focused: Element | null = null;

  constructor(private readonly host: ReactiveControllerHost & HTMLElement) {}

  hostUpdate(): void {
    this.#focused = this.host.shadowRoot?.activeElement ?? null;
  }

  hostUpdated(): void {
    const focused = this.#focused;
    if (focused === null || (focused.isConnected && !focused.matches(':disabled'))) return;
    // Without focus, the next Tab would start at the top of the page.
    const root = this.host.shadowRoot!;
    const target = root.querySelector<HTMLElement>('[part=list]') ?? root.querySelector<HTMLElement>('.pick:enabled');
    target?.focus({ preventScroll: true });
  }
}
