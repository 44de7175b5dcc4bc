import type { ReactiveControllerHost } from 'lit';
import { editImage } from '../../images/edit-image.js';
import type { Chosen } from '../../queue/types.js';
import { addFileTexts } from '../locales/add-file-texts.js';
import { enUsEditor } from '../locales/en-us-editor.js';
import { addEnglishTexts } from '../locales/load-localizer.js';
import type { Localizer } from '../locales/localizer.js';
import { actionStyles } from '../styles/actions.js';
import { editorStyles } from '../styles/editor.js';
import { editsByFile, readFormat, readRatios } from './edit-settings.js';
import type { EditSettings } from './edit-settings.js';
import { PictureEditor } from './picture-editor.js';

/** The part of the element that edits a picture before it is in the list. */
export interface EditFirstHost extends EditSettings, ReactiveControllerHost, HTMLElement {
  readonly editable: boolean;
  readonly editFirst: boolean;
  readonly localizer: Localizer;
  /** Styles of dialogs that may open before there is a file. */
  addStyles(...styles: (typeof editorStyles)[]): void;
}

/**
 * Opens the editor for a chosen picture.
 *
 * @param signal closes the dialog, because the page cleared the list
 * @returns the edited picture, or the chosen one if it stays as it is or cannot be edited; undefined if the person canceled
 */
export function editFirst(host: EditFirstHost, chosen: Chosen, signal: AbortSignal): Promise<Chosen | undefined> {
  addFileTexts();
  addEnglishTexts(enUsEditor);
  host.addStyles(actionStyles, editorStyles);
  const parent = host.shadowRoot?.querySelector('.root');
  if (!parent || signal.aborted) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    let result: Chosen | undefined;
    const editor = new PictureEditor({
      parent,
      name: chosen.file.name,
      file: chosen.file,
      edit: undefined,
      ratios: readRatios(host),
      localizer: () => host.localizer,
      onSave: async (edit, isUnchanged) => {
        if (isUnchanged) {
          result = chosen;
          return undefined;
        }
        const file = await editImage(chosen.file, edit, readFormat(host));
        if (!editor.isOpen) return undefined;
        editsByFile.set(file, edit);
        const preparation = { settings: JSON.stringify(edit), isChanged: true, original: chosen.file };
        result = { ...chosen, file, preparation };
        return undefined;
      },
      // The rules of the list decide about a picture that cannot be edited.
      onProblem: () => {
        result = chosen;
        editor.close();
      },
      onClose: () => {
        if (result === undefined && !signal.aborted) host.dispatchEvent(new Event('cancel', { bubbles: true }));
        host.removeController(controller);
        resolve(result);
      },
    });
    const controller = { hostUpdated: () => editor.refresh(), hostDisconnected: () => editor.close() };
    host.addController(controller);
    signal.addEventListener('abort', () => editor.close(), { once: true });
  });
}
