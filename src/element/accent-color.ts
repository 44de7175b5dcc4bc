import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { beforePaint } from './before-paint.js';

/**
 * The page's `accent-color`, which CSS inherits but cannot mix. The host has a transition on it, so that the browser itself tells
 * when a theme changes it.
 */
export class Accent implements ReactiveController {
  #colour = 'auto';

  constructor(private readonly host: ReactiveControllerHost & HTMLElement) {
    host.addController(this);
    host.addEventListener('transitionrun', ({ propertyName }) => {
      if (propertyName === 'accent-color') this.#read();
    });
  }

  /** As a CSS value; '' leaves the element's own. */
  get value(): string {
    return this.#colour === 'auto' ? '' : this.#colour;
  }

  hostConnected(): void {
    this.#read();
  }

  readonly #read = (): void => {
    // A transition that just began still computes to the old colour.
    beforePaint(this.host, () => {
      const { accentColor = 'auto' } = getComputedStyle(this.host);
      if (accentColor === this.#colour) return;
      this.#colour = accentColor;
      this.host.requestUpdate();
    });
  };
}
