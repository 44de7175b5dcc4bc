import type { Attributes } from './code.js';
import { LOOKS } from './looks.js';
import type { Declarations } from './looks.js';

/** What the knobs say, read from the form that holds them. */
export interface Knobs {
  attributes: Attributes;
  /** Name of a ready-made look; '' for none. */
  look: string;
  /** Custom properties that were turned by themselves. */
  properties: Declarations;
}

/** The one knob that is neither an attribute nor a custom property. */
const LOOK = 'look';

type Control = HTMLInputElement | HTMLSelectElement;

/** The controls that are knobs. */
const knobsOf = (form: HTMLFormElement): Control[] =>
  [...form.elements].filter(
    (control): control is Control =>
      (control instanceof HTMLInputElement || control instanceof HTMLSelectElement) && control.name !== '',
  );

const isChoice = (control: Control): control is HTMLInputElement =>
  control instanceof HTMLInputElement && (control.type === 'checkbox' || control.type === 'radio');
const isRange = (control: Control): control is HTMLInputElement => control.type === 'range';
/** The custom property that a knob turns. */
const propertyOf = (name: string): string => `--svc-uploader-${name.slice(2)}`;
/** What a knob says before anybody turns it. */
const restOf = (control: Control): string => (control instanceof HTMLInputElement ? control.defaultValue : '');

/** Lets sliders rest where a look has them, or the element itself; those that were turned stay. */
function restAs(form: HTMLFormElement, look: string): void {
  for (const control of knobsOf(form)) {
    if (!isRange(control)) continue;
    const atFirst = (control.dataset['rest'] ??= control.defaultValue);
    const rest = Object.hasOwn(LOOKS, look) ? LOOKS[look]!.host[propertyOf(control.name)] : undefined;
    const atRest = control.value === control.defaultValue;
    control.defaultValue = rest === undefined ? atFirst : String(Number.parseInt(rest));
    if (atRest) control.value = control.defaultValue;
  }
}

/** Reads the knobs; what says nothing is left out, so that the code shows only what was turned. */
export function readKnobs(form: HTMLFormElement): Knobs {
  const attributes: Record<string, string | true> = {};
  const properties: Record<string, string> = {};
  const look = form.querySelector<HTMLInputElement>(`[name=${LOOK}]:checked`)!.value;
  restAs(form, look);
  for (const control of knobsOf(form)) {
    const { name } = control;
    const value = control.value.trim();
    if (name === LOOK || (isChoice(control) && !control.checked)) continue;
    if (isChoice(control) && control.type === 'checkbox') attributes[name] = true;
    else if (value === '' || (isRange(control) && value === restOf(control))) continue;
    else if (name.startsWith('--')) properties[propertyOf(name)] = value + (isRange(control) ? 'px' : '');
    else attributes[name] = value;
  }
  return { attributes, look, properties };
}

/** Brings an element to what the knobs say: attributes that are no longer set go. */
export function applyAttributes(element: HTMLElement, form: HTMLFormElement, attributes: Attributes): void {
  for (const { name } of knobsOf(form)) {
    if (name === LOOK || name.startsWith('--')) continue;
    const value = attributes[name];
    if (value === undefined) element.removeAttribute(name);
    else if (element.getAttribute(name) !== (value === true ? '' : value))
      element.setAttribute(name, value === true ? '' : value);
  }
}

/** Puts the knobs where an address says, so that a setting can be shared; what it does not name stands at rest. */
export function restoreKnobs(form: HTMLFormElement, hash: string): void {
  const values = new URLSearchParams(hash.slice(1));
  restAs(form, values.get(LOOK) ?? '');
  const all = knobsOf(form);
  // An address of another version may name what is not offered any more.
  const isOffered = (one: Control): boolean => all.some(({ name, value }) => name === one.name && value === values.get(name));
  for (const control of all) {
    const value = values.get(control.name);
    if (!isChoice(control)) control.value = value ?? restOf(control);
    else if (value === null || (control.type === 'radio' && !isOffered(control))) control.checked = control.defaultChecked;
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
