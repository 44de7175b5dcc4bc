import type { StoredFile } from '../../protocol/types.js';
import { decodeState, encodeState } from './form-value.js';
import { readFormProperty } from './form-property.js';

// Browsers restore form state after Back, but some never do after a reload. The element therefore keeps its stored files in
// sessionStorage as well. The key names the page, the form, and the position of the control in it. No token and no bytes are kept.

function storageKey(control: HTMLElement, form: HTMLFormElement, name: string): string {
  const controls = [...readFormProperty(form, 'elements')].filter(({ localName }) => localName === control.localName);
  const page = `${location.pathname}${location.search}`;
  const formKey = `${readFormProperty(form, 'id')}#${[...document.forms].indexOf(form)}`;
  return `${control.localName} ${page} ${formKey} ${name} ${controls.indexOf(control)}`;
}

/** Returns whether the person reloaded this page or came back to it. */
function isReturnVisit(): boolean {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return navigation?.type === 'reload' || navigation?.type === 'back_forward';
}

/** Saves the stored files for a return to the page. Does nothing if the page has no session storage. */
export function saveToSession(control: HTMLElement, form: HTMLFormElement, name: string, files: readonly StoredFile[]): void {
  try {
    const key = storageKey(control, form, name);
    if (files.length === 0) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, encodeState(files));
  } catch {
    // A sandbox forbids storage, or the storage is full.
  }
}

/** Removes the saved files and returns them if this is a return to the page. */
export function takeFromSession(control: HTMLElement, form: HTMLFormElement, name: string): StoredFile[] {
  try {
    const key = storageKey(control, form, name);
    const saved = sessionStorage.getItem(key);
    sessionStorage.removeItem(key);
    return isReturnVisit() ? decodeState(saved) : [];
  } catch {
    return [];
  }
}
