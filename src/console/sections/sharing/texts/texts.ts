import { language } from '../../../texts/language.js';
import type { SharingTexts } from './sharing-texts.js';

/** The texts of the section, set before its first render. */
export let sharingTexts: SharingTexts;

const FILES = {
  en: async () => (await import('./en.js')).en,
  'pt-BR': async () => (await import('./pt-br.js')).ptBr,
  es: async () => (await import('./es.js')).es,
};

export async function loadSharingTexts(): Promise<void> {
  sharingTexts = await FILES[language()]();
}
