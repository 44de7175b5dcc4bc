import type { SvcUploader } from '../../../src/element/index.js';
import '../../../src/element/index.js';

export { once, until } from './wait.js';

export type Attributes = Record<string, string | number | boolean>;

/**
 * Creates an element in the document and renders it.
 *
 * @param storage behavior of the stand-in for Blob Storage, see test/support/storage-double.ts
 */
export async function createUploader(
  attributes: Attributes = {},
  { storage = 'store', parent = document.body as Element } = {},
): Promise<SvcUploader> {
  const el = document.createElement('svc-uploader');
  const all: Attributes = { endpoint: `${location.origin}/storage/${storage}`, token: 'svcup_test', ...attributes };
  for (const [name, value] of Object.entries(all))
    if (value !== false) el.setAttribute(name, value === true ? '' : String(value));
  parent.append(el);
  await el.updateComplete;
  return el;
}

export const createFile = (name = 'a.pdf', size = 10, type = ''): File =>
  new File([new Uint8Array(size).fill(name.length)], name, { type, lastModified: 1 });

/** Returns the values that the browser would send. */
export const readFormEntries = (form: HTMLFormElement, name: string): FormDataEntryValue[] => new FormData(form).getAll(name);

/** Waits for the next paint and the render that follows from it. */
export async function waitForPaint(el: SvcUploader): Promise<void> {
  await new Promise((resolve) => requestAnimationFrame(resolve));
  await el.updateComplete;
}

export const find = <T extends HTMLElement>(el: SvcUploader, selector: string): T => el.shadowRoot!.querySelector<T>(selector)!;
export const findRows = (el: SvcUploader): HTMLElement[] => [...el.shadowRoot!.querySelectorAll<HTMLElement>('[part~="file"]')];
export const readTexts = (el: SvcUploader, part: string): string[] =>
  Array.from(el.shadowRoot!.querySelectorAll(`[part~="${part}"]`), (element) => element.textContent!.trim());

/** Pastes what a clipboard contains. @returns false if the paste was prevented */
export function paste(target: EventTarget, clipboardData: DataTransfer): boolean {
  const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true, composed: true });
  // In Firefox, a paste event created by a script contains no files.
  Object.defineProperty(event, 'clipboardData', { value: clipboardData });
  return target.dispatchEvent(event);
}

/** Removes all elements, and aborts their uploads. A page with running uploads would ask before it is left. */
export function removeAll(): void {
  for (const el of document.querySelectorAll('svc-uploader')) el.clear();
  document.body.replaceChildren();
}
