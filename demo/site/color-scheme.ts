// Runs before the first paint, so that a stored scheme does not flash. It is a classic script and cannot import.
(() => {
  const NEXT = { system: 'light', light: 'dark', dark: 'system' } as const;
  const LABELS = { system: 'follow the system', light: 'light', dark: 'dark' } as const;
  type Scheme = keyof typeof NEXT;
  const root = document.documentElement;

  const readScheme = (): Scheme => {
    const value = localStorage.getItem('scheme');
    return value === 'light' || value === 'dark' ? value : 'system';
  };
  const applyScheme = (scheme: Scheme): void => {
    if (scheme === 'system') delete root.dataset['scheme'];
    else root.dataset['scheme'] = scheme;
  };
  applyScheme(readScheme());

  document.addEventListener('DOMContentLoaded', () => {
    const button = document.querySelector<HTMLButtonElement>('[data-color-scheme-switch]');
    const setLabel = (scheme: Scheme) => button?.setAttribute('aria-label', `Colours: ${LABELS[scheme]}`);
    setLabel(readScheme());
    button?.addEventListener('click', () => {
      const scheme = NEXT[readScheme()];
      localStorage.setItem('scheme', scheme);
      applyScheme(scheme);
      setLabel(scheme);
    });
    const page = document.querySelector('main')?.className;
    document.querySelector(`nav [data-page="${page}"]`)?.setAttribute('aria-current', 'page');
  });
})();
