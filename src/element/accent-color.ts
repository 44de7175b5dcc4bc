import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { beforePaint } from './before-paint.js';

/**
 * The page's `accent-color`, which CSS inherits but cannot mix. The host has a transition on it, so that the browser itself tells
 * when a theme changes it.
 */
export class AccentColor implements ReactiveController {
  #color = 'auto';

  constructor(private readonly host: ReactiveControllerHost & HTMLElement) {
    host.addController(this);
    host.addEventListener('transitionrun', ({ propertyName }) => {
      if (propertyName === 'accent-color') this.#read();
    });
  }

  /** As a CSS value; '' leaves the element's own. */
  get value(): string {
    return this.#color === 'auto' ? '' : this.#color;
  }

  hostConnected(): void {
    this.#read();
  }

  readonly #read = (): void => {
    // A transition that just began still computes to the old colour.
    beforePaint(this.host, () => {
      const { accentColor = 'auto' } = getComputedStyle(this.host);
      if (accentColor === this.#color) return;
      this.#color = accentColor;
      this.host.requestUpdate();
    });
  };
}
