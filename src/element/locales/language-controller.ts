import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { englishLocalizer, loadLocalizer, resolveLocale } from './load-localizer.js';
import type { Localizer } from './localizer.js';

interface LanguageHost extends ReactiveControllerHost, Element {
  readonly locale: string;
  localizer: Localizer;
}

/** Time after which a language that could not be loaded is requested again. */
const RELOAD_DELAY_MS = 10_000;

/** Keeps an element in the language of its reader, even if the page changes its `lang` attribute. */
export class LanguageController implements ReactiveController {
  #locale = '';
  #observer: MutationObserver | undefined;

  constructor(private readonly host: LanguageHost) {}

  hostConnected(): void {
    this.hostUpdate();
    this.#observer ??= new MutationObserver(() => this.hostUpdate());
    // Any ancestor can state the language, also outside the shadow trees that contain the element.
    let node: Node | undefined = this.host;
    while (node !== undefined) {
      const root: Node = node.getRootNode();
      this.#observer.observe(root, { attributeFilter: ['lang'], subtree: true });
      node = root instanceof ShadowRoot ? root.host : undefined;
    }
  }

  hostDisconnected(): void {
    this.#observer?.disconnect();
    this.#locale = '';
  }

  hostUpdate(): void {
    const locale = resolveLocale(this.host, this.host.locale);
    if (locale === this.#locale) return;
    this.#locale = locale;
    const localizer = loadLocalizer(locale);
    if (!(localizer instanceof Promise)) return this.#applyLocalizer(localizer);
    // The language may change again before it is loaded, and languages may load in any order.
    const applyIfCurrent = (loaded: Localizer) => locale === this.#locale && this.#applyLocalizer(loaded);
    localizer.then(applyIfCurrent, () => {
      applyIfCurrent(englishLocalizer);
      // The first render after this delay requests the language again.
      setTimeout(() => locale === this.#locale && (this.#locale = ''), RELOAD_DELAY_MS);
    });
  }

  #applyLocalizer(localizer: Localizer): void {
    if (localizer === this.host.localizer) return;
    this.host.localizer = localizer;
    this.host.requestUpdate();
  }
}
