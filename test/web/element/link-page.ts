import type { SvcUploader } from '../../../src/element/index.js';
import type { FetchStep } from '../../support/storage-double.js';
import { createUploader, find, until, waitForPaint } from './fixture.js';
import type { Attributes } from './fixture.js';
import { untilSourcesLoaded } from './fake-devices.js';

export const dialogOf = (el: SvcUploader) => find<HTMLDialogElement>(el, '.source-dialog');
export const fieldOf = (el: SvcUploader) => dialogOf(el).querySelector('input')!;
export const problemOf = (el: SvcUploader) => dialogOf(el).querySelector('[role=alert]')!.textContent!.trim();
export const menuTexts = (el: SvcUploader) =>
  Array.from(el.shadowRoot!.querySelectorAll('[role=menuitem]'), ({ textContent }) => textContent!.trim());

/** Returns the address of a file whose fetch has these steps, see `sendSteps` of the storage double. Without any, it is stored at once. */
export const linkTo = (name: string, ...steps: FetchStep[]): string =>
  `https://files.example/${name}${steps.length > 0 ? `?steps=${encodeURIComponent(JSON.stringify(steps))}` : ''}`;

/** Creates an element whose only source is a link, with a token that allows it. */
export async function createWithLinks(attributes: Attributes = {}, options = {}): Promise<SvcUploader> {
  const el = await createUploader({ sources: 'url', multiple: true, ...attributes }, { storage: 'links', ...options });
  await untilSourcesLoaded(el);
  await until(() => el.appearance === 'avatar' || find(el, '.pick').textContent!.includes('link'));
  return el;
}

export async function openLinkDialog(el: SvcUploader): Promise<void> {
  find(el, '.pick').focus();
  find(el, '.pick').click();
  await until(() => {
    const isOpen = dialogOf(el)?.open;
    // The button of an avatar never says that it opens the dialog, so the first press may come before the limits of the token.
    if (!isOpen && el.appearance === 'avatar') find(el, '.pick').click();
    return isOpen;
  });
}

/** Enters a link in the open dialog and presses Add. */
export async function enterLink(el: SvcUploader, text: string): Promise<void> {
  const field = fieldOf(el);
  field.value = text;
  field.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  dialogOf(el).querySelector<HTMLElement>('[type=submit]')!.click();
  await waitForPaint(el);
}

export async function addLink(el: SvcUploader, link: string): Promise<void> {
  await openLinkDialog(el);
  await enterLink(el, link);
}
