import { part } from '../../queue/transport/load-chunk.js';
import { enUs } from './en-us.js';
import { Localizer } from './localizer.js';

/** English is built in; the others are loaded when a page first needs them. */
export const englishLocalizer = new Localizer('en-US', enUs);

const loaded = new Map<string, Promise<Localizer> | Localizer>();

/** The nearest language we have, with the region's own formats; English where we have none. */
export function loadLocalizer(locale: string): Promise<Localizer> | Localizer {
  if (locale === englishLocalizer.locale) return englishLocalizer;
  const known = loaded.get(locale);
  if (known !== undefined) return known;
  const localizer = createLocalizer(locale);
  loaded.set(locale, localizer);
  if (localizer instanceof Promise)
    localizer.then(
      (ready) => loaded.set(locale, ready),
      // A chunk that could not be fetched is asked for again the next time.
      () => loaded.delete(locale),
    );
  return localizer;
}

function createLocalizer(locale: string): Promise<Localizer> | Localizer {
  return /^en\b/.test(locale) ? new Localizer(locale, enUs) : fetchLocalizer(locale);
}

/** The table of languages is a chunk too: an English page need not carry it. */
async function fetchLocalizer(locale: string): Promise<Localizer> {
  const loaderFor = await part('findLanguage', () => import('./languages.js'));
  const loader = loaderFor(locale);
  return loader === undefined ? englishLocalizer : new Localizer(locale, await part('default', loader));
}

/** The language of an element: what it states, else the nearest `lang` outside, else the page's, else English. */
export function resolveLocale(host: Element, stated: string): string {
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
