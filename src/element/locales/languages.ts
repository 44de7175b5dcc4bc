import type { Messages } from './localizer.js';

type Loader = () => Promise<{ default: Messages }>;

/** All languages except English. Each is a separate chunk that is loaded when a page needs it. */
export const LANGUAGES = {
  ar: () => import('./ar.js'),
  cs: () => import('./cs.js'),
  da: () => import('./da.js'),
  de: () => import('./de.js'),
  es: () => import('./es-es.js'),
  fi: () => import('./fi.js'),
  fr: () => import('./fr.js'),
  he: () => import('./he.js'),
  id: () => import('./id.js'),
  it: () => import('./it.js'),
  ja: () => import('./ja.js'),
  ko: () => import('./ko.js'),
  nb: () => import('./nb.js'),
  nl: () => import('./nl.js'),
  pl: () => import('./pl.js'),
  pt: () => import('./pt-br.js'),
  ru: () => import('./ru.js'),
  sv: () => import('./sv.js'),
  tr: () => import('./tr.js'),
  uk: () => import('./uk.js'),
  'zh-Hans': () => import('./zh-hans.js'),
  'zh-Hant': () => import('./zh-hant.js'),
} as const satisfies Record<string, Loader>;

/** Norwegian has three language tags. Readers of all three read Bokmål. */
const LANGUAGE_ALIASES: ReadonlyMap<string, string> = new Map([
  ['no', 'nb'],
  ['nn', 'nb'],
]);

/**
 * Finds the translation for a locale: `pt-PT` gets `pt`, `zh-TW` and `zh-HK` get `zh-Hant`.
 *
 * @returns undefined if there is no translation
 */
export function findLanguage(locale: string): Loader | undefined {
  const { language, script } = new Intl.Locale(locale).maximize();
  const table: ReadonlyMap<string, Loader> = new Map(Object.entries(LANGUAGES));
  return table.get(LANGUAGE_ALIASES.get(language) ?? language) ?? table.get(`${language}-${script}`);
}
