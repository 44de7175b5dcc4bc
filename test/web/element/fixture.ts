import type { SvcUploader } from '../../../src/element/index.js';
import '../../../src/element/index.js';

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

export const once = <K extends keyof HTMLElementEventMap>(target: HTMLElement, type: K): Promise<HTMLElementEventMap[K]> =>
  new Promise((resolve) => target.addEventListener(type, resolve as EventListener, { once: true }));

/** Waits for the next paint and the render that follows from it. */
export async function waitForPaint(el: SvcUploader): Promise<void> {
  await new Promise((resolve) => requestAnimationFrame(resolve));
  await el.updateComplete;
}

/** Waits up to two seconds for a condition. The assertion after it reports what is wrong if the condition stays false. */
export async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 100 && !condition(); turn += 1) await new Promise((resolve) => setTimeout(resolve, 20));
}

export const find = <T extends HTMLElement>(el: SvcUploader, selector: string): T => el.shadowRoot!.querySelector<T>(selector)!;
export const findRows = (el: SvcUploader): HTMLElement[] => [...el.shadowRoot!.querySelectorAll<HTMLElement>('[part~="file"]')];
export const readTexts = (el: SvcUploader, part: string): string[] =>
  Array.from(el.shadowRoot!.querySelectorAll(`[part~="${part}"]`), (element) => element.textContent!.trim());

/** Removes all elements, and aborts their uploads. A page with running uploads would ask before it is left. */
export function removeAll(): void {
  for (const el of document.querySelectorAll('svc-uploader')) el.clear();
  document.body.replaceChildren();
}
