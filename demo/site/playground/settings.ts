import type { Attributes } from './framework-code.js';
import { THEMES } from './themes.js';
import type { Declarations } from './themes.js';

/** Settings of the previewed element, as the form has them. */
export interface Settings {
  attributes: Attributes;
  /** Name of a theme; '' for none. */
  theme: string;
  /** Custom properties that differ from the theme. */
  properties: Declarations;
}

/** Name of the only control that is neither an attribute nor a custom property. */
const THEME = 'theme';
const OFF = 'off';

type Control = HTMLInputElement | HTMLSelectElement;

const controlsOf = (form: HTMLFormElement): Control[] =>
  [...form.elements].filter(
    (control): control is Control =>
      (control instanceof HTMLInputElement || control instanceof HTMLSelectElement) && control.name !== '',
  );

const isChoice = (control: Control): control is HTMLInputElement =>
  control instanceof HTMLInputElement && (control.type === 'checkbox' || control.type === 'radio');
const isRange = (control: Control): control is HTMLInputElement => control.type === 'range';
/** Returns the custom property of a control such as `--radius`. */
const propertyOf = (name: string): string => `--svc-uploader-${name.slice(2)}`;
const defaultOf = (control: Control): string => (control instanceof HTMLInputElement ? control.defaultValue : '');

/** Sets the default of each slider to the value of the theme, or of the element. Sliders that a visitor moved keep their value. */
function setSliderDefaults(form: HTMLFormElement, theme: string): void {
  for (const control of controlsOf(form).filter(isRange)) {
    const elementDefault = (control.dataset['default'] ??= control.defaultValue);
    const themeValue = Object.hasOwn(THEMES, theme) ? THEMES[theme]!.host[propertyOf(control.name)] : undefined;
    const isUnchanged = control.value === control.defaultValue;
    control.defaultValue = themeValue === undefined ? elementDefault : String(Number.parseInt(themeValue));
    if (isUnchanged) control.value = control.defaultValue;
  }
}

/** Reads the settings. Controls with their default value are left out, so that the code sample shows only changes. */
export function readSettings(form: HTMLFormElement): Settings {
  const attributes: Record<string, string | true> = {};
  const properties: Record<string, string> = {};
  const theme = form.querySelector<HTMLInputElement>(`[name=${THEME}]:checked`)!.value;
  setSliderDefaults(form, theme);
  for (const control of controlsOf(form)) {
    const { name } = control;
    const value = control.value.trim();
    if (name === THEME || (isChoice(control) && !control.checked)) continue;
    if (isChoice(control) && control.type === 'checkbox') attributes[name] = true;
    else if (value === '' || (isRange(control) && value === defaultOf(control))) continue;
    else if (name.startsWith('--')) properties[propertyOf(name)] = value + (isRange(control) ? 'px' : '');
    else attributes[name] = value;
  }
  return { attributes, theme, properties };
}

/** Sets the attributes of an element, and removes those that are no longer set. */
export function applyAttributes(element: HTMLElement, form: HTMLFormElement, attributes: Attributes): void {
  for (const { name } of controlsOf(form)) {
    if (name === THEME || name.startsWith('--')) continue;
    const value = attributes[name];
    if (value === undefined) {
      element.removeAttribute(name);
      continue;
    }
    const text = value === true ? '' : value;
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}

/** Restores settings from the hash of a shared address. Settings that the hash does not name get their default. */
export function restoreSettings(form: HTMLFormElement, hash: string): void {
  const values = new URLSearchParams(hash.slice(1));
  setSliderDefaults(form, values.get(THEME) ?? '');
  const controls = controlsOf(form);
  // An address of another version may name a choice that no longer exists.
  const isOffered = ({ name }: Control): boolean =>
    controls.some((control) => control.name === name && control.value === values.get(name));
  for (const control of controls) {
    const value = values.get(control.name);
    if (!isChoice(control)) control.value = value ?? defaultOf(control);
    else if (value === null || (control.type === 'radio' && !isOffered(control))) control.checked = control.defaultChecked;
    else control.checked = control.type === 'checkbox' ? value !== OFF : control.value === value;
  }
}

/** @returns the changed settings as a hash, without private values such as a token */
export function settingsHash(form: HTMLFormElement): string {
  const values = new URLSearchParams();
  for (const control of controlsOf(form)) {
    const { name, value } = control;
    if (control.dataset['private'] !== undefined) continue;
    if (!isChoice(control)) {
      if (value !== defaultOf(control)) values.set(name, value);
    } else if (control.checked !== control.defaultChecked) {
      if (control.type === 'checkbox') values.set(name, control.checked ? 'on' : OFF);
      else if (control.checked) values.set(name, value);
    }
  }
  return values.toString();
}
