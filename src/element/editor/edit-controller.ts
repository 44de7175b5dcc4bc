import { html, nothing } from 'lit';
import type { ReactiveController, ReactiveControllerHost, TemplateResult } from 'lit';
import { editImage } from '../../images/edit-image.js';
import type { ImageEdit } from '../../images/edit-image.js';
import { prepareImage } from '../../images/prepare-image.js';
import { deleteReplaced, originalOf, replaceFile } from '../../queue/replace-file.js';
import type { Limits, UploadItem, UploadQueue } from '../../queue/types.js';
import { emit } from '../events.js';
import { MAX_IMMEDIATE_FILES } from '../form/form-value-writer.js';
import { enUsEditor } from '../locales/en-us-editor.js';
import { rejectionText } from '../locales/error-messages.js';
import { addEnglishTexts } from '../locales/load-localizer.js';
import type { Localizer } from '../locales/localizer.js';
import { editorStyles } from '../styles/editor.js';
import { displayName } from '../view/display-name.js';
import type { RowContext } from '../view/row.js';
import { iconWithTooltip } from '../view/row-icons.js';
import { editsByFile, readFormat, readRatios } from './edit-settings.js';
import type { EditSettings } from './edit-settings.js';
import { editIcon } from './editor-icons.js';
import { isEditable } from './is-editable.js';
import { PictureEditor } from './picture-editor.js';

/** The part of the element that the editor uses. */
export interface EditHost extends ReactiveControllerHost, HTMLElement, EditSettings {
  readonly localizer: Localizer;
  readonly readOnly: boolean;
  readonly listedItems: readonly UploadItem[];
  /** The limits of the attributes, narrowed by those of the token. */
  readonly limits: Limits;
  focusRow(index: number, part?: string): Promise<void>;
  /** The paths that the form sends changed. */
  valuesChanged(): void;
}

/** Offers to edit pictures of the list, and uploads an edited picture in the place of the earlier one. Pages with `editable` load this module. */
export class EditController implements ReactiveController {
  /** The element adds these styles to its own. */
  readonly styles = [editorStyles];
  #editor: PictureEditor | undefined;
  /** Returns whether the file in the editor is still in the list and can be edited. */
  #isAvailable = () => true;

  constructor(private readonly host: EditHost) {
    addEnglishTexts(enUsEditor);
    host.addController(this);
  }

  hostUpdated(): void {
    if (this.#editor === undefined) return;
    const { host } = this;
    // The page removed the file, or made the element read-only.
    if (!this.#isAvailable() || host.readOnly || host.matches(':disabled')) this.#editor.close();
    else this.#editor.refresh();
  }

  hostDisconnected(): void {
    this.#editor?.close();
  }

  /** Returns the context of rows that can be edited. */
  rowContext(row: RowContext, queue: UploadQueue): RowContext {
    if (row.readOnly) return row;
    return { ...row, renderEditButton: (item, tabbable) => this.#renderButton(item, tabbable, queue, row) };
  }

  #renderButton(item: UploadItem, tabbable: boolean, queue: UploadQueue, row: RowContext): TemplateResult | typeof nothing {
    if (!isEditable(item)) return nothing;
    const label = row.localizer.text('edit', { name: displayName(item) });
    return html`<button
      part="edit-button"
      class="icon"
      type="button"
      data-edit=${item.id}
      tabindex=${tabbable ? nothing : -1}
      aria-label=${label}
      aria-haspopup="dialog"
      @click=${() => this.open(item, queue, row)}
    >
      ${iconWithTooltip(label, editIcon)}
    </button>`;
  }

  /** Opens the editor for a file of the list. */
  open(item: UploadItem, queue: UploadQueue, row: RowContext): void {
    const { host } = this;
    const parent = host.shadowRoot?.querySelector('.root');
    if (this.#editor !== undefined || !parent || item.file === null) return;
    const isAvailable = () => queue.get(item.id) === item && isEditable(item);
    let edited: UploadItem | undefined;
    const editor = new PictureEditor({
      parent,
      name: displayName(item),
      file: originalOf(item) ?? item.file,
      edit: editsByFile.get(item.file),
      ratios: readRatios(host),
      localizer: () => host.localizer,
      onSave: async (edit, isUnchanged) => {
        const result = await this.#save(item, edit, isUnchanged, queue, row, () => editor.isOpen && isAvailable());
        if (typeof result === 'object') edited = result;
        return typeof result === 'string' ? result : undefined;
      },
      onClose: () => {
        this.#editor = undefined;
        // The browser would restore the focus only to a button that is still there, and that a click has focused.
        void this.#focus(edited ?? item);
      },
    });
    this.#editor = editor;
    this.#isAvailable = isAvailable;
  }

  /**
   * @param isWanted the file is still in the list, and its dialog open
   * @returns the new item; a text if the edited file is refused; undefined if nothing changes
   */
  async #save(
    item: UploadItem,
    edit: ImageEdit,
    isUnchanged: boolean,
    queue: UploadQueue,
    row: RowContext,
    isWanted: () => boolean,
  ): Promise<UploadItem | string | undefined> {
    const previous = item.file!;
    const isSame = isUnchanged ? !editsByFile.has(previous) : sameEdit(edit, editsByFile.get(previous));
    if (isSame) return undefined;
    const original = originalOf(item) ?? previous;
    const file = await this.#createFile(original, edit, isUnchanged);
    if (!isWanted()) return undefined;
    const { relativePath } = item;
    if (!emit(this.host, 'svc-file-add', { file, relativePath })) return undefined;
    const preparation = { settings: JSON.stringify(edit), isChanged: file !== original, original };
    const result = replaceFile(queue, item, { file, relativePath, preparation }, this.host.limits);
    if ('code' in result) return rejectionText(this.host.localizer, result);
    if (!isUnchanged) editsByFile.set(file, edit);
    row.fields?.copyValues(item, result);
    this.#finishLater(result, queue, row.deletesFiles);
    this.host.requestUpdate();
    return result;
  }

  async #createFile(original: File, edit: ImageEdit, isUnchanged: boolean): Promise<File> {
    const { imageOptions } = this.host.settings;
    if (!isUnchanged) return editImage(original, edit, readFormat(this.host));
    if (imageOptions === null) return original;
    const { file, rejection, error } = await prepareImage(original, imageOptions);
    if (rejection || error) throw error ?? new Error(`The picture was refused: ${rejection!.code}.`);
    return file;
  }

  /** Drops the earlier file once the edited one is stored. */
  #finishLater(item: UploadItem, queue: UploadQueue, deletesFiles: boolean): void {
    const stop = [
      queue.on('change', ({ item: changed }) => {
        if (changed !== item || item.state.status !== 'done') return;
        for (const unsubscribe of stop) unsubscribe();
        deleteReplaced(item, queue, deletesFiles);
        // With many files, the value of the form is written later, and would contain both until then.
        if (queue.totals.done > MAX_IMMEDIATE_FILES) this.host.valuesChanged();
      }),
      queue.on('remove', ({ item: removed }) => {
        if (removed === item) for (const unsubscribe of stop) unsubscribe();
      }),
    ];
  }

  async #focus(item: UploadItem): Promise<void> {
    await this.host.updateComplete;
    const button = this.host.shadowRoot?.querySelector<HTMLElement>(`[data-edit="${item.id}"]`);
    if (button) button.focus();
    else await this.host.focusRow(this.host.listedItems.indexOf(item), 'edit-button');
  }
}

const sameEdit = (one: ImageEdit, other: ImageEdit | undefined): boolean => JSON.stringify(one) === JSON.stringify(other);
