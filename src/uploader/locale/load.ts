import { enUs } from './en-us.js';
import { Words } from './words.js';
import type { Messages } from './words.js';

/** English is built in; the others are loaded when a page first needs them. */
export const builtIn = new Words('en-US', enUs);

const LOADERS: Readonly<Record<string, () => Promise<{ default: Messages }>>> = {};

const loaded = new Map<string, Promise<Words>>();

/** The nearest language we have: `pt-PT` gets `pt`, an unknown one gets English with its own number formats left out. */
export function loadWords(locale: string): Promise<Words> | Words {
  const language = locale.toLowerCase().split('-')[0]!;
  const loader = LOADERS[language];
  if (language === 'en') return locale === builtIn.locale ? builtIn : new Words(locale, enUs);
  if (loader === undefined) return builtIn;
  let words = loaded.get(locale);
  if (words === undefined) {
    words = loader().then((module) => new Words(locale, module.default));
    // A chunk that could not be fetched is asked for again the next time.
    words.catch(() => loaded.delete(locale));
    loaded.set(locale, words);
  }
  return words;
}

/** The language of an element: what it states, else the nearest `lang` outside, else the page's, else English. */
export function localeOf(host: Element, stated: string): string {
  const found = stated || nearestLang(host) || 'en-US';
  try {
    return Intl.getCanonicalLocales(found)[0] ?? 'en-US';
  } catch {
    return 'en-US';
  }
}

function nearestLang(host: Element): string {
  for (let at: Element | null = host; at !== null;) {
    const holder: Element | null = at.closest('[lang]');
    if (holder !== null) return holder.getAttribute('lang') ?? '';
    const root: Node = at.getRootNode();
    at = root instanceof ShadowRoot ? root.host : null;
  }
  return '';
}
