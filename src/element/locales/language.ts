import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { builtIn, loadWords, localeOf } from './load.js';
import type { Words } from './messages.js';

interface Speaker extends ReactiveControllerHost, Element {
  readonly locale: string;
  words: Words;
}

/** Milliseconds after which a language that could not be loaded is asked for once more. */
const AGAIN_MS = 10_000;

/** Keeps an element in its reader's language, also when the page changes its `lang` while it is open. */
export class Language implements ReactiveController {
  #wanted = '';
  #observer: MutationObserver | undefined;

  constructor(private readonly host: Speaker) {}

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
    const locale = localeOf(this.host, this.host.locale);
    if (locale === this.#wanted) return;
    this.#wanted = locale;
    const words = loadWords(locale);
    if (!(words instanceof Promise)) return this.#speak(words);
    // Meanwhile the language may have been changed again, and the answers may come in any order.
    const speak = (words: Words) => locale === this.#wanted && this.#speak(words);
    words.then(speak, () => {
      speak(builtIn);
      // Asked for again with what is drawn a while later.
      setTimeout(() => locale === this.#wanted && (this.#wanted = ''), AGAIN_MS);
    });
  }

  #speak(words: Words): void {
    if (words === this.host.words) return;
    this.host.words = words;
    this.host.requestUpdate();
  }
}
