import { loadChunk } from '../../queue/load-chunk.js';
import { enUs } from './en-us.js';
import { Localizer } from './localizer.js';
import type { Messages } from './localizer.js';

/** English is part of the main script, except the texts of chosen files. */
const english = { ...enUs } as unknown as Messages;
export const englishLocalizer = new Localizer('en-US', english);

/** Adds the texts of chosen files to English. The other languages have them already. */
export const addEnglishTexts = (texts: Partial<Messages>): void => void Object.assign(english, texts);

const localizers = new Map<string, Promise<Localizer> | Localizer>();

/** Loads the translation for a locale, with the formats of its region. Returns English if there is no translation. */
export function loadLocalizer(locale: string): Promise<Localizer> | Localizer {
  if (locale === englishLocalizer.locale) return englishLocalizer;
  const known = localizers.get(locale);
  if (known !== undefined) return known;
  const localizer = createLocalizer(locale);
  localizers.set(locale, localizer);
  if (localizer instanceof Promise)
    localizer.then(
      (ready) => localizers.set(locale, ready),
      // The next call requests a chunk again that could not be loaded.
      () => localizers.delete(locale),
    );
  return localizer;
}

function createLocalizer(locale: string): Promise<Localizer> | Localizer {
  return /^en\b/.test(locale) ? new Localizer(locale, english) : fetchLocalizer(locale);
}

/** The table of languages is a chunk as well, because English pages do not need it. */
async function fetchLocalizer(locale: string): Promise<Localizer> {
  const findLanguage = await loadChunk('findLanguage', () => import('./languages.js'));
  const loader = findLanguage(locale);
  return loader === undefined ? englishLocalizer : new Localizer(locale, await loadChunk('default', loader));
}

/**
 * Determines the locale of an element: its own setting, else the nearest `lang` attribute of an ancestor, else English.
 *
 * @param setting value of the `locale` attribute; '' if it is not set
 */
export function resolveLocale(host: Element, setting: string): string {
  const locale = setting || nearestLang(host) || 'en-US';
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? 'en-US';
  } catch {
    return 'en-US';
  }
}

function nearestLang(host: Element): string {
  let element: Element | null = host;
  while (element !== null) {
    const ancestor: Element | null = element.closest('[lang]');
    if (ancestor !== null) return ancestor.getAttribute('lang') ?? '';
    const root: Node = element.getRootNode();
    element = root instanceof ShadowRoot ? root.host : null;
  }
  return '';
}
