import type { LitElement, ReactiveController } from 'lit';
import { loadChunk } from '../../queue/load-chunk.js';
import { beforePaint } from '../before-paint.js';

/** CSS custom properties by name. */
export type Properties = Readonly<Record<string, string>>;

const COLOR_PROPERTIES = /^(accent-)?color$/;

/**
 * Adapts the colors of the element to those of the page, because CSS can neither measure a contrast nor mix `accent-color`. The host
 * has a transition on both properties, so that the browser fires an event when a theme changes them.
 */
export class PageColors implements ReactiveController {
  /** Measured properties that the rendered root does not have yet. */
  #properties: Properties | undefined;

  constructor(private readonly host: LitElement) {
    host.addEventListener('transitionrun', ({ propertyName, target }) => {
      if (target === host && COLOR_PROPERTIES.test(propertyName)) this.#update();
    });
  }

  hostConnected(): void {
    this.#update();
  }

  /** Sets the properties through the DOM, because a strict Content-Security-Policy forbids `style` attributes. */
  hostUpdated(): void {
    if (this.#properties === undefined) return;
    const { style } = this.host.renderRoot.querySelector<HTMLElement>('.root')!;
    for (const [name, value] of Object.entries(this.#properties)) style.setProperty(name, value);
    this.#properties = undefined;
  }

  #update(): void {
    const read = loadChunk('readPageColors', () => import('./read-page-colors.js'));
    // When a transition starts, the computed style still has the old color.
    const apply = (readPageColors: Awaited<typeof read>) =>
      beforePaint(this.host, () => {
        if (!this.host.isConnected) return;
        this.#properties = readPageColors(this.host);
        this.host.requestUpdate();
      });
    // Without this code, the colors of the style sheet suit most pages.
    read.then(apply, () => {});
  }
}
