import type { ReactiveController, ReactiveControllerHost } from 'lit';
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
  properties: Properties = {};

  constructor(private readonly host: ReactiveControllerHost & HTMLElement) {
    host.addController(this);
    host.addEventListener('transitionrun', ({ propertyName, target }) => {
      if (target === host && COLOR_PROPERTIES.test(propertyName)) this.#update();
    });
  }

  hostConnected(): void {
    this.#update();
  }

  #update(): void {
    const read = loadChunk('readPageColors', () => import('./read-page-colors.js'));
    // When a transition starts, the computed style still has the old color.
    const apply = (readPageColors: Awaited<typeof read>) =>
      beforePaint(this.host, () => {
        if (!this.host.isConnected) return;
        this.properties = readPageColors(this.host);
        this.host.requestUpdate();
      });
    // Without this code, the colors of the style sheet suit most pages.
    read.then(apply, () => {});
  }
}
