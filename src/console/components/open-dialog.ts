import { render } from 'lit';
import type { TemplateResult } from 'lit';
import { adoptBase } from '../styles/adopt-base.js';
import { ConsoleDialog } from './dialog.js';

export interface OpenDialog {
  /** Closes the dialog. @param result what `openDialog` returns */
  close<T>(result?: T): void;
  /** Renders the content anew, after its state has changed. */
  update(): void;
}

/** A dialog that can be shown again, with the values that its fields had. */
export interface ReusableDialog<T> {
  readonly heading: string;
  /** Shows the dialog until it is closed. @returns the result that `close` got; undefined if the person closed the dialog */
  show(): Promise<T | undefined>;
  /** Renders the content anew, after its state has changed. */
  update(): void;
}

type Content = (dialog: OpenDialog) => TemplateResult;

/**
 * Opens a dialog. Its content is rendered in the page, not in the dialog's shadow tree, with the base styles.
 * @param content the content and, with `slot="actions"`, the buttons
 * @returns the result that `close` got; undefined if the person closed the dialog
 */
export const openDialog = <T>(heading: string, content: Content, options?: { size?: string }): Promise<T | undefined> =>
  createDialog<T>(heading, content, options).show();

/** Prepares a dialog. @param content as for `openDialog` */
export function createDialog<T>(heading: string, content: Content, { size }: { size?: string } = {}): ReusableDialog<T> {
  adoptBase();
  const element = new ConsoleDialog();
  element.heading = heading;
  if (size !== undefined) element.style.setProperty('--dialog-size', size);
  let result: T | undefined;
  const dialog: OpenDialog = {
    close: (value) => {
      result = value as T | undefined;
      element.close();
    },
    update: () => void render(content(dialog), element),
  };
  const show = (): Promise<T | undefined> => {
    // A double click opens one dialog.
    const isOpen = [...document.querySelectorAll('console-dialog')].some((other) => (other as ConsoleDialog).heading === heading);
    if (isOpen) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      // Back and Forward show another page. Its own focus stays.
      const closeForOtherPage = (): void => element.close({ returnsFocus: false });
      addEventListener('popstate', closeForOtherPage);
      const finish = (event: Event): void => {
        if (event.target !== element) return;
        removeEventListener('popstate', closeForOtherPage);
        element.removeEventListener('close', finish);
        element.remove();
        resolve(result);
      };
      element.addEventListener('close', finish);
      dialog.update();
      document.body.append(element);
    });
  };
  return { heading, show, update: dialog.update };
}

export interface Confirmation {
  heading: string;
  text: string;
  /** Label of the button that confirms. */
  confirm: string;
  isDangerous?: boolean;
  /** A name that the person must type first. */
  typedName?: string;
}

/** Asks for a confirmation. */
export async function confirmDialog(options: Confirmation): Promise<boolean> {
  const { confirmContent } = await import('./confirm.js');
  return (await openDialog<true>(options.heading, confirmContent(options))) ?? false;
}
