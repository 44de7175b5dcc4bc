import { language } from '../../../texts/language.js';
import type { ProfileTexts } from './profile-texts.js';

/** The texts of the section, set before its first render. */
export let profileTexts: ProfileTexts;

const FILES = {
  en: async () => (await import('./en.js')).en,
  'pt-BR': async () => (await import('./pt-br.js')).ptBr,
  es: async () => (await import('./es.js')).es,
};

export async function loadProfileTexts(): Promise<void> {
  profileTexts = await FILES[language()]();
}
