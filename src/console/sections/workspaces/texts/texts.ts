import { language } from '../../../texts/language.js';
import type { WorkspacesTexts } from './workspaces-texts.js';

/** The texts of the section, set before its first render. */
export let workspacesTexts: WorkspacesTexts;

const FILES = {
  en: async () => (await import('./en.js')).en,
  'pt-BR': async () => (await import('./pt-br.js')).ptBr,
  es: async () => (await import('./es.js')).es,
};

export async function loadWorkspacesTexts(): Promise<void> {
  workspacesTexts = await FILES[language()]();
}
