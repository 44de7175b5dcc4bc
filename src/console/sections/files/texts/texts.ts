import { language } from '../../../texts/language.js';
import type { FilesTexts } from './files-texts.js';

/** The texts of the section, set before its first render. */
export let filesTexts: FilesTexts;

const FILES = {
  en: async () => (await import('./en.js')).en,
  'pt-BR': async () => (await import('./pt-br.js')).ptBr,
  es: async () => (await import('./es.js')).es,
};

export async function loadFilesTexts(): Promise<void> {
  filesTexts = await FILES[language()]();
}
