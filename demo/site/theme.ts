// Runs before the first paint, so that a chosen scheme does not flash. A classic script: no imports.
(() => {
  const NEXT = { system: 'light', light: 'dark', dark: 'system' } as const;
  const WORDS = { system: 'follow the system', light: 'light', dark: 'dark' } as const;
  type Scheme = keyof typeof NEXT;
  const root = document.documentElement;

  const stored = (): Scheme => {
    const value = localStorage.getItem('scheme');
    return value === 'light' || value === 'dark' ? value : 'system';
  };
  const apply = (scheme: Scheme): void => {
    if (scheme === 'system') delete root.dataset['scheme'];
    else root.dataset['scheme'] = scheme;
  };
  apply(stored());

  document.addEventListener('DOMContentLoaded', () => {
    const button = document.querySelector<HTMLButtonElement>('[data-theme-switch]');
    const label = (scheme: Scheme) => button?.setAttribute('aria-label', `Colours: ${WORDS[scheme]}`);
    label(stored());
    button?.addEventListener('click', () => {
      const scheme = NEXT[stored()];
      localStorage.setItem('scheme', scheme);
      apply(scheme);
      label(scheme);
    });
    const page = document.querySelector('main')?.className;
    document.querySelector(`nav [data-page="${page}"]`)?.setAttribute('aria-current', 'page');
  });
})();
