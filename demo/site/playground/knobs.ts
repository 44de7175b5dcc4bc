import type { Attributes, Theme } from './code.js';

/** What the knobs say, read from the form that holds them. */
export interface Knobs {
  attributes: Attributes;
  theme: Theme;
}

type Control = HTMLInputElement | HTMLSelectElement;

/** The controls that are knobs. */
const knobsOf = (form: HTMLFormElement): Control[] =>
  [...form.elements].filter(
    (control): control is Control =>
      (control instanceof HTMLInputElement || control instanceof HTMLSelectElement) && control.name !== '',
  );

const isChoice = (control: Control): control is HTMLInputElement =>
  control instanceof HTMLInputElement && (control.type === 'checkbox' || control.type === 'radio');
const isRange = (control: Control): boolean => control.type === 'range';
/** What a knob says before anybody turns it. */
const restOf = (control: Control): string => (control instanceof HTMLInputElement ? control.defaultValue : '');

/** Reads the knobs; what says nothing is left out, so that the code shows only what was turned. */
export function readKnobs(form: HTMLFormElement): Knobs {
  const attributes: Record<string, string | true> = {};
  const theme: Record<string, string> = {};
  for (const control of knobsOf(form)) {
    const { name } = control;
    const value = control.value.trim();
    if (isChoice(control) && !control.checked) continue;
    if (isChoice(control) && control.type === 'checkbox') attributes[name] = true;
    else if (value === '' || (isRange(control) && value === restOf(control))) continue;
    else if (name.startsWith('--')) theme[`--svc-uploader-${name.slice(2)}`] = value + (isRange(control) ? 'px' : '');
    else attributes[name] = value;
  }
  return { attributes, theme };
}

/** Brings an element to what the knobs say: attributes that are no longer set go. */
export function applyKnobs(element: HTMLElement, form: HTMLFormElement, { attributes, theme }: Knobs): void {
  for (const { name } of knobsOf(form)) {
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

/** Puts the knobs where an address says, so that a setting can be shared; what it does not name stands at rest. */
export function restoreKnobs(form: HTMLFormElement, hash: string): void {
  const values = new URLSearchParams(hash.slice(1));
  for (const control of knobsOf(form)) {
    const value = values.get(control.name);
    if (!isChoice(control)) control.value = value ?? restOf(control);
    else if (value === null) control.checked = control.defaultChecked;
    else control.checked = control.type === 'checkbox' ? value !== OFF : control.value === value;
  }
}

const OFF = 'off';

/** The knobs that were turned, as an address holds them. A token is nobody else's. */
export function hashOf(form: HTMLFormElement): string {
  const values = new URLSearchParams();
  for (const control of knobsOf(form)) {
    const { name, value } = control;
    if (control.dataset['private'] !== undefined) continue;
    if (!isChoice(control)) {
      if (value !== restOf(control)) values.set(name, value);
    } else if (control.checked !== control.defaultChecked) {
      if (control.type === 'checkbox') values.set(name, control.checked ? 'on' : OFF);
      else if (control.checked) values.set(name, value);
    }
  }
  return values.toString();
}
