import type { LitElement, ReactiveController } from 'lit';
import { RenderScheduler } from '../before-paint.js';
import { parentOf, readPageColors } from './read-page-colors.js';

const TEXT_COLORS = /^(accent-)?color$/;
/** Preferences of a person that change colors of a page without an attribute. */
const COLOR_PREFERENCES = ['(prefers-color-scheme: dark)', '(forced-colors: active)'];

/**
 * Adapts the colors of the element to those of the page, because CSS can neither measure a contrast nor mix `accent-color`. Loads with the
 * first render. Measures again when a theme may have changed a color:
 * - The host has a transition on `color` and `accent-color`, so that the browser fires an event when it inherits another one.
 * - A background is not inherited. It changes with an attribute of an ancestor, and at the end of a transition.
 * - A preference of the person changes. Pages that turn off all transitions (`* { transition: none !important }`) fire no event then.
 */
export class PageColors implements ReactiveController {
  readonly #scheduler: RenderScheduler;
  readonly #observer: MutationObserver;
  #listeners = new AbortController();

  constructor(private readonly host: LitElement) {
    // When a transition starts, the computed style still has the old color.
    this.#scheduler = new RenderScheduler(host, () => this.#measure());
    this.#observer = new MutationObserver(() => this.#scheduler.schedule());
    host.addEventListener('transitionrun', ({ propertyName, target }) => {
      if (target === host && TEXT_COLORS.test(propertyName)) this.#scheduler.schedule();
    });
    host.addController(this);
  }

  hostConnected(): void {
    this.#scheduler.schedule();
    const { signal } = (this.#listeners = new AbortController());
    for (const query of COLOR_PREFERENCES)
      matchMedia(query).addEventListener('change', () => this.#scheduler.schedule(), { signal });
    for (let element: Element | null = this.host; element !== null; element = parentOf(element)) {
      this.#observer.observe(element, { attributes: true });
      element.addEventListener('transitionend', this.#onTransitionEnd as EventListener, { signal });
    }
  }

  hostDisconnected(): void {
    this.#scheduler.cancel();
    this.#observer.disconnect();
    this.#listeners.abort();
  }

  readonly #onTransitionEnd = ({ propertyName, target, currentTarget }: TransitionEvent): void => {
    if (target === currentTarget && propertyName === 'background-color') this.#scheduler.schedule();
  };

  /** Sets the properties through the DOM, because a strict Content-Security-Policy forbids `style` attributes. */
  #measure(): void {
    const { style } = this.host.renderRoot.querySelector<HTMLElement>('.root')!;
    for (const [name, value] of Object.entries(readPageColors(this.host))) style.setProperty(name, value);
  }
}
