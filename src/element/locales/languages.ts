import type { Messages } from './localizer.js';

type Loader = () => Promise<{ default: Messages }>;

/** All languages except English. Each is a separate chunk that is loaded when a page needs it. */
export const LANGUAGES = {
  ar: () => import('./ar.js'),
  cs: () => import('./cs.js'),
  da: () => import('./da.js'),
  de: () => import('./de.js'),
  el: () => import('./el.js'),
  es: () => import('./es-es.js'),
  fi: () => import('./fi.js'),
  fr: () => import('./fr.js'),
  he: () => import('./he.js'),
  hi: () => import('./hi.js'),
  hu: () => import('./hu.js'),
  id: () => import('./id.js'),
  it: () => import('./it.js'),
  ja: () => import('./ja.js'),
  ko: () => import('./ko.js'),
  nb: () => import('./nb.js'),
  nl: () => import('./nl.js'),
  pl: () => import('./pl.js'),
  pt: () => import('./pt-br.js'),
  'pt-PT': () => import('./pt-pt.js'),
  ro: () => import('./ro.js'),
  ru: () => import('./ru.js'),
  sv: () => import('./sv.js'),
  th: () => import('./th.js'),
  tr: () => import('./tr.js'),
  uk: () => import('./uk.js'),
  vi: () => import('./vi.js'),
  'zh-Hans': () => import('./zh-hans.js'),
  'zh-Hant': () => import('./zh-hant.js'),
} as const satisfies Record<string, Loader>;

/** Norwegian has three language tags. Readers of all three read Bokmål. */
const LANGUAGE_ALIASES: ReadonlyMap<string, string> = new Map([
  ['no', 'nb'],
  ['nn', 'nb'],
]);

/**
 * Finds the translation for a locale: `pt-AO` gets `pt-PT`, as all of Portuguese outside Brazil. `zh-TW` and `zh-HK` get `zh-Hant`.
 *
 * @returns undefined if there is no translation
 */
export function findLanguage(locale: string): Loader | undefined {
  const { language, script, region } = new Intl.Locale(locale).maximize();
  const table: ReadonlyMap<string, Loader> = new Map(Object.entries(LANGUAGES));
  if (language === 'pt' && region !== 'BR') return table.get('pt-PT');
  return table.get(LANGUAGE_ALIASES.get(language) ?? language) ?? table.get(`${language}-${script}`);
}
