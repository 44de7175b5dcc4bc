import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { englishLocalizer, loadLocalizer, resolveLocale } from './load-localizer.js';
import type { Localizer } from './localizer.js';

interface LanguageHost extends ReactiveControllerHost, Element {
  readonly locale: string;
  localizer: Localizer;
}

/** Milliseconds after which a language that could not be loaded is asked for once more. */
const AGAIN_MS = 10_000;

/** Keeps an element in its reader's language, also when the page changes its `lang` while it is open. */
export class LanguageController implements ReactiveController {
  #wanted = '';
  #observer: MutationObserver | undefined;

  constructor(private readonly host: LanguageHost) {}

  hostConnected(): void {
    this.hostUpdate();
    this.#observer ??= new MutationObserver(() => this.hostUpdate());
    // Whichever element around it states the language: also those around the shadow trees it stands in.
    for (let at: Node | undefined = this.host; at !== undefined;) {
      const root: Node = at.getRootNode();
      this.#observer.observe(root, { attributeFilter: ['lang'], subtree: true });
      at = root instanceof ShadowRoot ? root.host : undefined;
    }
  }

  hostDisconnected(): void {
    this.#observer?.disconnect();
    this.#wanted = '';
  }

  hostUpdate(): void {
    const locale = resolveLocale(this.host, this.host.locale);
    if (locale === this.#wanted) return;
    this.#wanted = locale;
    const localizer = loadLocalizer(locale);
    if (!(localizer instanceof Promise)) return this.#applyLocalizer(localizer);
    // Meanwhile the language may have been changed again, and the answers may come in any order.
    const speak = (localizer: Localizer) => locale === this.#wanted && this.#applyLocalizer(localizer);
    localizer.then(speak, () => {
      speak(englishLocalizer);
      // Asked for again with what is drawn a while later.
      setTimeout(() => locale === this.#wanted && (this.#wanted = ''), AGAIN_MS);
    });
  }

  #applyLocalizer(localizer: Localizer): void {
    if (localizer === this.host.localizer) return;
    this.host.localizer = localizer;
    this.host.requestUpdate();
  }
}
