import { part } from '../../queue/transport/load-chunk.js';
import { enUs } from './en-us.js';
import { Words } from './messages.js';

/** English is built in; the others are loaded when a page first needs them. */
export const builtIn = new Words('en-US', enUs);

const loaded = new Map<string, Promise<Words> | Words>();

/** The nearest language we have, with the region's own formats; English where we have none. */
export function loadWords(locale: string): Promise<Words> | Words {
  if (locale === builtIn.locale) return builtIn;
  const known = loaded.get(locale);
  if (known !== undefined) return known;
  const words = load(locale);
  loaded.set(locale, words);
  if (words instanceof Promise)
    words.then(
      (ready) => loaded.set(locale, ready),
      // A chunk that could not be fetched is asked for again the next time.
      () => loaded.delete(locale),
    );
  return words;
}

function load(locale: string): Promise<Words> | Words {
  return /^en\b/.test(locale) ? new Words(locale, enUs) : fetchWords(locale);
}

/** The table of languages is a chunk too: an English page need not carry it. */
async function fetchWords(locale: string): Promise<Words> {
  const loaderFor = await part('loaderFor', () => import('./languages.js'));
  const loader = loaderFor(locale);
  return loader === undefined ? builtIn : new Words(locale, await part('default', loader));
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
