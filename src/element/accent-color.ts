import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { beforePaint } from './before-paint.js';

/**
 * Reads the page's `accent-color`, because CSS cannot mix the inherited value with other colors. The host has a transition on the
 * property, so that the browser fires an event when a theme changes it.
 */
export class AccentColor implements ReactiveController {
  #color = 'auto';

  constructor(private readonly host: ReactiveControllerHost & HTMLElement) {
    host.addController(this);
    host.addEventListener('transitionrun', ({ propertyName }) => {
      if (propertyName === 'accent-color') this.#read();
    });
  }

  /** The color as a CSS value; '' keeps the element's own accent. */
  get value(): string {
    return this.#color === 'auto' ? '' : this.#color;
  }

  hostConnected(): void {
    this.#read();
  }

  readonly #read = (): void => {
    // When the transition starts, the computed style still has the old color.
    beforePaint(this.host, () => {
      const { accentColor = 'auto' } = getComputedStyle(this.host);
      if (accentColor === this.#color) return;
      this.#color = accentColor;
      this.host.requestUpdate();
    });
  };
}
