import { texts } from '../texts/texts.js';
import { showToast } from './toast.js';

/** Copies a text. Pages without TLS have no `navigator.clipboard`, so a selected field is copied there. @returns whether that was done */
export async function copyText(text: string): Promise<boolean> {
  // The lines of TypeScript's DOM library do not know pages without TLS.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  const isCopied = clipboard
    ? await clipboard.writeText(text).then(
        () => true,
        () => copySelection(text),
      )
    : copySelection(text);
  if (!isCopied) showToast({ kind: 'problem', text: texts.copyFailed });
  return isCopied;
}

function copySelection(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  Object.assign(field.style, { position: 'fixed', opacity: '0' });
  // An open dialog makes the rest of the page inert.
  ([...document.querySelectorAll('console-dialog')].at(-1) ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
