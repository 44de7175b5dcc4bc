import { language } from '../../../texts/language.js';
import type { OverviewTexts } from './overview-texts.js';

/** The texts of the section, set before its first render. */
export let overviewTexts: OverviewTexts;

const FILES = {
  en: async () => (await import('./en.js')).en,
  'pt-BR': async () => (await import('./pt-br.js')).ptBr,
  es: async () => (await import('./es.js')).es,
};

export async function loadOverviewTexts(): Promise<void> {
  overviewTexts = await FILES[language()]();
}
