import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { FieldSource, UploadItem } from '../../queue/types.js';
import { addFileTexts } from '../locales/add-file-texts.js';
import type { Localizer } from '../locales/localizer.js';
import type { Settings } from '../settings/read-settings.js';
import { fieldStyles } from '../styles/fields.js';
import { displayName } from '../view/display-name.js';
import type { FieldView } from '../view/row.js';
import { maxLengthOf, readFields, toMetadataValue, valueOf } from './read-fields.js';
import type { FileField } from './read-fields.js';

/** The part of the element that the fields use. */
export interface FieldHost {
  readonly fields: string | readonly FileField[] | null;
  readonly localizer: Localizer;
  readonly uploads: readonly UploadItem[];
  /** Files of the list. */
  readonly listedItems: readonly UploadItem[];
  readonly renderRoot: ParentNode;
  readonly updateComplete: Promise<boolean>;
  requestUpdate(): void;
  /** Updates validity and custom states. */
  updateStatus(): void;
  focusRow(index: number, part?: string): Promise<void>;
}

/** Values that a person entered for one file. */
interface Draft {
  values: Record<string, string>;
  /** The metadata, once the upload of the file was started. It does not change any more. */
  metadata: Readonly<Record<string, string>> | null;
  /** The person tried to upload the file, so empty required fields show an error. */
  isChecked: boolean;
}

type StoredItem = UploadItem & { readonly state: { readonly status: 'done' } };

const NO_VALUES: Readonly<Record<string, string>> = {};

/** Renders the fields of each file and holds a file until they are completed. Pages with `fields` load this module. */
export class FileFields implements FieldSource, FieldView {
  /** The element adds these styles to its own. */
  readonly styles = [fieldStyles];
  readonly #drafts = new WeakMap<UploadItem, Draft>();
  #fields: readonly FileField[] = [];
  /** The rule that the setting breaks; undefined if it is valid. */
  #brokenRule: string | undefined;
  #setting = '';

  constructor(private readonly host: FieldHost) {
    addFileTexts();
    this.#read();
  }

  /** Reads the setting `fields`, and adds its problem to those of the other settings. */
  apply(settings: Settings): Settings {
    this.#read();
    if (this.#brokenRule === undefined) return settings;
    const problem = { attribute: 'fields', value: this.#setting, rule: this.#brokenRule };
    return { ...settings, problems: [...settings.problems, problem] };
  }

  #read(): void {
    const { fields } = this.host;
    const setting = typeof fields === 'string' ? fields : JSON.stringify(fields);
    if (setting === this.#setting) return;
    this.#setting = setting;
    const read = readFields(fields);
    this.#brokenRule = typeof read === 'string' ? read : undefined;
    this.#fields = typeof read === 'string' ? [] : read;
    for (const item of this.host.uploads) this.#dropLostChoices(item);
  }

  /** Empties fields whose choice the page took back. The list of choices shows none then. */
  #dropLostChoices(item: UploadItem): void {
    const draft = this.#drafts.get(item);
    if (draft === undefined || draft.metadata !== null) return;
    const lost = this.#fields.filter((field) => field.options?.includes(valueOf(field, draft.values)) === false);
    draft.values = { ...draft.values, ...Object.fromEntries(lost.map(({ name }) => [name, ''])) };
  }

  complete(): void {
    const held = this.host.uploads.filter((item) => this.#isHeld(item));
    for (const item of held) {
      const draft = this.#draftOf(item);
      draft.isChecked = true;
      if (!this.isUnfilled(item)) draft.metadata = this.#toMetadata(draft.values);
    }
    this.host.requestUpdate();
    if (this.hasUnfilled(held)) void this.#focusUnfilled();
  }

  metadataOf(item: UploadItem): Readonly<Record<string, string>> | null {
    // With an invalid setting the file fails, as with every invalid setting.
    return this.#drafts.get(item)?.metadata ?? (this.#fields.length === 0 ? NO_VALUES : null);
  }

  /** Returns whether the upload of a file was not started yet. */
  hasHeld(items: readonly UploadItem[]): boolean {
    return items.some((item) => this.#isHeld(item));
  }

  isUnfilled(item: UploadItem): boolean {
    if (!this.#isHeld(item)) return false;
    const { values } = this.#drafts.get(item) ?? { values: NO_VALUES };
    return this.#fields.some((field) => field.required && toMetadataValue(valueOf(field, values)) === '');
  }

  copyValues(from: UploadItem, to: UploadItem): void {
    const draft = this.#drafts.get(from);
    if (draft === undefined) return;
    // The upload of a stored file is over. The next one has to be started, and may have other values.
    this.#drafts.set(to, from.state.status === 'done' ? { ...draft, metadata: null } : draft);
    this.#dropLostChoices(to);
  }

  hasUnfilled(items: readonly UploadItem[]): boolean {
    return items.some((item) => this.isUnfilled(item));
  }

  /** The first empty required field in the document. */
  get unfilledField(): HTMLElement | undefined {
    // Read-only fields never match.
    return this.host.renderRoot.querySelector<HTMLElement>('.fields :invalid') ?? undefined;
  }

  /** Shows an error at every empty required field, because the person was told that the element is invalid. */
  showErrors(): void {
    for (const item of this.host.uploads) if (this.isUnfilled(item)) this.#draftOf(item).isChecked = true;
    this.host.requestUpdate();
  }

  /** Adds the values of stored files to the form's data, as JSON: an object of values for each path. */
  appendTo(data: FormData, name: string, stored: readonly StoredItem[]): void {
    const entries = stored.map((item) => [item.state.file.path, this.#toMetadata(this.#valuesOf(item))] as const);
    data.set(`${name}-fields`, JSON.stringify(Object.fromEntries(entries)));
  }

  render(item: UploadItem, readOnly: boolean, isInLongList: boolean): TemplateResult | typeof nothing {
    const values = this.#valuesOf(item);
    const isEditable = this.#isHeld(item) && !readOnly;
    const { status } = item.state;
    const isEmpty = this.#fields.every((field) => valueOf(field, values) === '');
    // Restored files may have been stored without fields. Rows of a long list all have the same height.
    const isHidden = status === 'rejected' || (status === 'done' && isEmpty && item.file === null);
    if (this.#fields.length === 0 || (isHidden && !isInLongList)) return nothing;
    return html`<div
      part="fields"
      class="fields ${isHidden ? 'reserved' : ''}"
      role="group"
      aria-label=${displayName(item)}
      @input=${stopPropagation}
      @paste=${keepPastedText}
    >
      ${this.#fields.map((field) => this.#renderField(item, field, values, isEditable && !isHidden))}
    </div>`;
  }

  #renderField(
    item: UploadItem,
    field: FileField,
    values: Readonly<Record<string, string>>,
    isEditable: boolean,
  ): TemplateResult {
    const { localizer } = this.host;
    const { name, label, required = false } = field;
    const id = `${item.id}-${name}`;
    const isChecked = this.#drafts.get(item)?.isChecked ?? false;
    const value = valueOf(field, values);
    const hasError = isEditable && required && isChecked && toMetadataValue(value) === '';
    const control = { id, value, required, errorId: hasError ? `${id}-error` : nothing } as const;
    const onInput = (event: Event) => this.#setValue(item, name, (event.target as HTMLInputElement).value);
    return html`<div part="field" class="field">
      <label part="field-label" for=${id}>
        ${required || !isEditable ? label : localizer.text('optionalField', { label })}
      </label>
      ${!isEditable ? renderReadOnly(control) : field.options ? renderChoice(control, field.options, onInput) : renderText(control, maxLengthOf(field), onInput)}
      <span part="field-error" class="field-error" id="${id}-error">${hasError ? localizer.text('fieldMissing') : nothing}</span>
    </div>`;
  }

  #setValue(item: UploadItem, name: string, value: string): void {
    const draft = this.#draftOf(item);
    draft.values = { ...draft.values, [name]: value };
    this.host.updateStatus();
    this.host.requestUpdate();
  }

  #isHeld(item: UploadItem): boolean {
    const { status } = item.state;
    return (status === 'queued' || status === 'waiting') && this.metadataOf(item) === null;
  }

  #draftOf(item: UploadItem): Draft {
    const draft = this.#drafts.get(item) ?? { values: {}, metadata: null, isChecked: false };
    this.#drafts.set(item, draft);
    return draft;
  }

  /** Returns what a person wrote, or what is stored with the file. */
  #valuesOf(item: UploadItem): Readonly<Record<string, string>> {
    const { state, metadata } = item;
    return { ...this.#drafts.get(item)?.values, ...metadata, ...(state.status === 'done' && state.file.metadata) };
  }

  #toMetadata(values: Readonly<Record<string, string>>): Record<string, string> {
    const entries = this.#fields.map((field) => [field.name, toMetadataValue(valueOf(field, values))] as const);
    return Object.fromEntries(entries.filter(([, value]) => value !== ''));
  }

  /** Focuses the first empty required field. A long list scrolls to its row. */
  async #focusUnfilled(): Promise<void> {
    const { host } = this;
    await host.updateComplete;
    if (this.unfilledField === undefined) {
      const index = host.listedItems.findIndex((item) => this.isUnfilled(item));
      await host.focusRow(index, 'field-input');
    }
    this.unfilledField?.focus();
  }
}

interface Control {
  id: string;
  value: string;
  required: boolean;
  /** Id of the error that is shown. */
  errorId: string | typeof nothing;
}

const invalidState = ({ errorId }: Control) => (errorId === nothing ? nothing : 'true');

const renderText = (control: Control, maxLength: number, onInput: (event: Event) => void): TemplateResult =>
  html`<input
    part="field-input"
    type="text"
    id=${control.id}
    dir="auto"
    maxlength=${maxLength}
    ?required=${control.required}
    aria-invalid=${invalidState(control)}
    aria-describedby=${control.errorId}
    .value=${control.value}
    @input=${onInput}
  />`;

const renderChoice = (control: Control, options: readonly string[], onInput: (event: Event) => void): TemplateResult =>
  html`<select
    part="field-input"
    id=${control.id}
    ?required=${control.required}
    aria-invalid=${invalidState(control)}
    aria-describedby=${control.errorId}
    @input=${onInput}
  >
    <option value="" ?selected=${control.value === ''}></option>
    ${options.map((option) => html`<option ?selected=${option === control.value}>${option}</option>`)}
  </select>`;

const renderReadOnly = ({ id, value }: Control): TemplateResult =>
  html`<input part="field-input" type="text" id=${id} dir="auto" readonly .value=${value} />`;

/** The element fires `input` only when its own value changes. */
const stopPropagation = (event: Event): void => event.stopPropagation();

/** Text that is pasted into a field is not a file, even if its program adds a picture of it. */
const keepPastedText = (event: ClipboardEvent): void => {
  if (event.clipboardData?.types.includes('text/plain')) event.stopPropagation();
};
