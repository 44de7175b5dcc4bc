import type { StoredFile } from '../../protocol/types.js';
import { readFormProperty } from './form-property.js';
import { decodeState, encodeState } from './form-value.js';

/**
 * Chromium and WebKit give form state back after Back, some of them never after a reload. What was finished when the page was left
 * is therefore kept for the tab as well, under the page, the form and the place of the control in it. No token, no bytes.
 */
function storageKey(control: HTMLElement, form: HTMLFormElement, name: string): string {
  const index = [...readFormProperty(form, 'elements')].filter((one) => one.localName === control.localName).indexOf(control);
  return `${control.localName} ${location.pathname}${location.search} ${readFormProperty(form, 'id')}#${[...document.forms].indexOf(form)} ${name} ${index}`;
}

/** Whether this page was reloaded or come back to, not visited anew. */
function isReturnVisit(): boolean {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return navigation?.type === 'reload' || navigation?.type === 'back_forward';
}

/** Keeps the uploads for a return. A page that has no storage, or no room in it, goes without. */
export function saveToSession(control: HTMLElement, form: HTMLFormElement, name: string, files: readonly StoredFile[]): void {
  try {
    const key = storageKey(control, form, name);
    if (files.length === 0) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, encodeState(files));
  } catch {
    // Forbidden in a sandbox, full, or off: nothing to be done.
  }
}

/** What was kept, once, and only for who comes back. */
export function takeFromSession(control: HTMLElement, form: HTMLFormElement, name: string): StoredFile[] {
  try {
    const key = storageKey(control, form, name);
    const kept = sessionStorage.getItem(key);
    sessionStorage.removeItem(key);
    return isReturnVisit() ? decodeState(kept) : [];
  } catch {
    return [];
  }
}
