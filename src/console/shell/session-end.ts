import { html } from 'lit';
import { openDialog } from '../components/open-dialog.js';
import type { OpenDialog } from '../components/open-dialog.js';
import { texts } from '../texts/texts.js';

/** Returns the address of the sign-in page, which continues at the present address. */
const signInAddress = (): string => `/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`;

/** Whether leaving the page would lose something: the fields of a dialog, or uploads. */
const hasUnfinishedWork = (): boolean => document.querySelector('console-dialog, upload-panel:not([hidden])') !== null;

let isOpen = false;

/**
 * Ends what the page shows when the service refuses the session. The page leaves for the sign-in page; if that would lose something, it asks to sign in in
 * another tab, then fires `session-continued` on the window.
 * @param isSameUser asks the service whether the user of this page is signed in again; undefined if nobody is
 */
export function endSession(isSameUser: () => Promise<boolean | undefined>): void {
  if (isOpen) return;
  if (hasUnfinishedWork()) void askToSignIn(isSameUser);
  else location.assign(signInAddress());
}

async function askToSignIn(isSameUser: () => Promise<boolean | undefined>): Promise<void> {
  isOpen = true;
  const { title, text, signIn } = texts.session;
  let dialog: OpenDialog | undefined;
  const check = async (): Promise<void> => {
    if (document.hidden) return;
    const answer = await isSameUser().catch(() => undefined);
    if (answer === undefined || !isOpen) return;
    if (!answer) return location.reload();
    dispatchEvent(new Event('session-continued'));
    dialog?.close();
  };
  for (const [target, type] of RETURNS) target.addEventListener(type, check);
  await openDialog(title, (opened) => {
    dialog = opened;
    return html`<p>${text}</p>
      <a slot="actions" class="button primary" href=${signInAddress()} target="_blank" autofocus>${signIn}</a>`;
  });
  for (const [target, type] of RETURNS) target.removeEventListener(type, check);
  isOpen = false;
}

/** Events of a person who returns to the page. */
const RETURNS: readonly (readonly [EventTarget, string])[] = [
  [window, 'focus'],
  [document, 'visibilitychange'],
];
