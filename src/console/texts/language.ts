export type ConsoleLanguage = 'en' | 'pt-BR' | 'es';

/** Returns the language of the page, which the service sets to that of the user's profile. */
export function language(): ConsoleLanguage {
  const tag = document.documentElement.lang.toLowerCase();
  if (tag.startsWith('pt')) return 'pt-BR';
  return tag.startsWith('es') ? 'es' : 'en';
}
