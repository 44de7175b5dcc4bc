import type { Attributes, Theme } from './code.js';

/** What the knobs say, read from the form that holds them. */
export interface Knobs {
  attributes: Attributes;
  theme: Theme;
}

const THEME_UNITS: Readonly<Record<string, string>> = { '--accent': '', '--radius': 'px' };

/** Reads the knobs; those at rest are left out, so that the code shows only what was turned. */
export function readKnobs(form: HTMLFormElement): Knobs {
  const attributes: Record<string, string | true> = {};
  const theme: Record<string, string> = {};
  for (const control of form.elements) {
    if (!(control instanceof HTMLInputElement || control instanceof HTMLSelectElement) || control.name === '') continue;
    if (control instanceof HTMLInputElement && control.type === 'checkbox') {
      if (control.checked) attributes[control.name] = true;
    } else if (control instanceof HTMLInputElement && control.type === 'radio' && !control.checked) {
      continue;
    } else if (control.name.startsWith('--')) {
      const atRest = control instanceof HTMLInputElement && control.type === 'range' && control.value === control.defaultValue;
      if (control.value !== '' && !atRest)
        theme[`--svc-uploader-${control.name.slice(2)}`] = control.value + THEME_UNITS[control.name];
    } else if (control.value.trim() !== '') attributes[control.name] = control.value.trim();
  }
  return { attributes, theme };
}

/** Brings an element to what the knobs say: attributes that are no longer set go. */
export function applyKnobs(element: HTMLElement, form: HTMLFormElement, { attributes, theme }: Knobs): void {
  const names = new Set([...form.elements].map((control) => (control as HTMLInputElement).name).filter(Boolean));
  for (const name of names) {
    if (name.startsWith('--')) {
      const property = `--svc-uploader-${name.slice(2)}`;
      if (theme[property] === undefined) element.style.removeProperty(property);
      else element.style.setProperty(property, theme[property]);
      continue;
    }
    const value = attributes[name];
    if (value === undefined) element.removeAttribute(name);
    else if (element.getAttribute(name) !== (value === true ? '' : value))
      element.setAttribute(name, value === true ? '' : value);
  }
}

/** Puts the knobs where an address says, so that a setting can be shared. Returns nothing; unknown names are ignored. */
export function restoreKnobs(form: HTMLFormElement, hash: string): void {
  if (hash.length < 2) return;
  const values = new URLSearchParams(hash.slice(1));
  for (const control of form.elements) {
    if (control instanceof HTMLInputElement && control.type === 'checkbox') control.checked = values.has(control.name);
    else if (control instanceof HTMLInputElement && control.type === 'radio')
      control.checked = control.value === (values.get(control.name) ?? '');
    else if (control instanceof HTMLInputElement || control instanceof HTMLSelectElement)
      control.value =
        values.get(control.name) ?? (control instanceof HTMLInputElement && control.type === 'range' ? control.defaultValue : '');
  }
}

export const hashOf = (form: HTMLFormElement): string => {
  const values = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    const control = form.elements.namedItem(name);
    const atRest = control instanceof HTMLInputElement && control.type === 'range' && control.value === control.defaultValue;
    if (typeof value === 'string' && value !== '' && !atRest) values.set(name, value);
  }
  return values.toString();
};
