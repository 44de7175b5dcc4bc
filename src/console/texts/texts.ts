import type { ConsoleTexts } from './console-texts.js';
import { language } from './language.js';

/** The texts of the frame in the language of the page. `loadTexts` sets them before the first element renders. */
export let texts: ConsoleTexts;

const FILES = {
  en: async () => (await import('./en.js')).en,
  'pt-BR': async () => (await import('./pt-br.js')).ptBr,
  es: async () => (await import('./es.js')).es,
};

export async function loadTexts(): Promise<void> {
  texts = await FILES[language()]();
}
