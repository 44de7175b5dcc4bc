import { language } from '../../../texts/language.js';
import type { AccessTexts } from './access-texts.js';

/** The texts of the section, set before its first render. */
export let accessTexts: AccessTexts;

const FILES = {
  en: async () => (await import('./en.js')).en,
  'pt-BR': async () => (await import('./pt-br.js')).ptBr,
  es: async () => (await import('./es.js')).es,
};

export async function loadAccessTexts(): Promise<void> {
  accessTexts = await FILES[language()]();
}
