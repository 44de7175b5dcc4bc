import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { adoptSheet } from '../styles/adopt-base.js';
import { texts } from '../texts/texts.js';
import { fieldOf, problemLine } from './describe-error.js';
import type { Problems } from './describe-error.js';
import { formStyles } from './form-styles.js';
import { icon } from './icon.js';
import { createDialog } from './open-dialog.js';
import { showForm } from './show-form.js';

/** State of a form for its fields: errors of the last attempt, and a way to render again. */
export interface FormState {
  errorOf(name: string): string | undefined;
  update(): void;
}

export interface FormOptions<Result> {
  fields(form: FormState): TemplateResult;
  /** Label of the button that sends the form. */
  submit: string;
  /**
   * Sends the form. The dialog closes with the result. An `ApiError` with a path is shown at the field. If the person closes the dialog
   * meanwhile, the request continues, see `showForm`.
   */
  send(data: FormData, signal: AbortSignal): Promise<Result>;
  /** Texts for errors that have another meaning in this form. */
  problems?: Problems;
  isDangerous?: boolean;
  size?: string;
}

const TIMEOUT_MS = 60_000;

/**
 * Opens a dialog with a form.
 * @returns the result of `send`; undefined if the person closed the dialog before the form was sent, or after it failed
 */
export function openForm<Result>(heading: string, options: FormOptions<Result>): Promise<Result | undefined> {
  adoptSheet(formStyles);
  let sending: Promise<Result | undefined> | undefined;
  let error: unknown;
  let form: HTMLFormElement | undefined;
  const { problems = {} } = options;
  const hasField = (name: string | undefined): boolean => name !== undefined && form?.elements.namedItem(name) != null;
  const dialog = createDialog<Result>(
    heading,
    (opened) => {
      const send = async (data: FormData): Promise<Result | undefined> => {
        let result: Result | undefined;
        try {
          result = await options.send(data, AbortSignal.timeout(TIMEOUT_MS));
          opened.close(result);
        } catch (thrown) {
          error = thrown;
        }
        sending = undefined;
        opened.update();
        return result;
      };
      const submit = async (event: Event): Promise<void> => {
        event.preventDefault();
        if (sending) return;
        form = event.currentTarget as HTMLFormElement;
        error = undefined;
        sending = send(new FormData(form));
        opened.update();
        await sending;
        if (error !== undefined) focusProblem(form);
      };
      const state: FormState = {
        errorOf: (name) => (fieldOf(error) === name ? problemLine(error, problems) : undefined),
        update: () => opened.update(),
      };
      return html`<form id="form" class="form" @submit=${submit}>
          ${
            error === undefined || hasField(fieldOf(error))
              ? nothing
              : html`<p class="alert problem" role="alert" tabindex="-1">
                  ${icon('warning')}<span>${problemLine(error, problems)}</span>
                </p>`
          }
          ${options.fields(state)}
        </form>
        <button slot="actions" @click=${() => opened.close()}>${texts.cancel}</button>
        <button
          slot="actions"
          class=${options.isDangerous ? 'danger' : 'primary'}
          form="form"
          aria-disabled=${sending ? 'true' : nothing}
        >
          ${options.submit}
        </button>`;
    },
    options.size === undefined ? {} : { size: options.size },
  );
  return showForm(dialog, {
    sending: () => sending,
    problem: () => (error === undefined ? undefined : problemLine(error, problems)),
  });
}

/** Focuses the invalid field, or the message above the form, and shows its error. */
export function focusProblem(form: HTMLFormElement): void {
  const problem = form.querySelector<HTMLElement>('[aria-invalid=true], .alert.problem');
  problem?.focus();
  problem?.closest('.field')?.scrollIntoView({ block: 'nearest' });
}

export interface FieldOptions {
  name: string;
  label: string;
  hint?: string;
  isFocused?: boolean;
  isRequired?: boolean;
}

/** Renders a label, a control, a hint, and the error of the last attempt. */
export function field(
  form: FormState,
  { name, label, hint }: FieldOptions,
  control: (attributes: { id: string; describedBy: string | typeof nothing; invalid: 'true' | typeof nothing }) => TemplateResult,
): TemplateResult {
  const error = form.errorOf(name);
  const id = `field-${name}`;
  const described = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`].filter(Boolean).join(' ');
  return html`<div class="field">
    <label for=${id}>${label}</label>
    ${control({ id, describedBy: described === '' ? nothing : described, invalid: error === undefined ? nothing : 'true' })}
    ${hint === undefined ? nothing : html`<span class="hint" id="${id}-hint">${hint}</span>`}
    ${error === undefined ? nothing : html`<span class="error" id="${id}-error">${error}</span>`}
  </div>`;
}

/** Renders a field with one line of text. */
export const textField = (
  form: FormState,
  options: FieldOptions & {
    value?: string;
    type?: string;
    placeholder?: string;
    autocomplete?: string;
    maxLength?: number;
    min?: number;
    max?: number;
  },
): TemplateResult =>
  field(
    form,
    options,
    ({ id, describedBy, invalid }) =>
      html`<input
        id=${id}
        name=${options.name}
        type=${options.type ?? 'text'}
        .value=${options.value ?? ''}
        placeholder=${options.placeholder ?? nothing}
        autocomplete=${(options.autocomplete ?? 'off') as AutoFill}
        maxlength=${options.maxLength ?? nothing}
        min=${options.min ?? nothing}
        max=${options.max ?? nothing}
        spellcheck="false"
        autocapitalize="none"
        ?required=${options.isRequired}
        ?autofocus=${options.isFocused}
        aria-describedby=${describedBy}
        aria-invalid=${invalid}
      />`,
  );

/** Renders a field with several lines of text. */
export const linesField = (form: FormState, options: FieldOptions & { value?: string; placeholder?: string }): TemplateResult =>
  field(
    form,
    options,
    ({ id, describedBy, invalid }) =>
      html`<textarea
        id=${id}
        name=${options.name}
        rows="3"
        .value=${options.value ?? ''}
        placeholder=${options.placeholder ?? nothing}
        autocapitalize="none"
        spellcheck="false"
        aria-describedby=${describedBy}
        aria-invalid=${invalid}
      ></textarea>`,
  );

/** Renders a field that offers choices. @param options.choices value and label of each, and whether it cannot be chosen */
export const selectField = (
  form: FormState,
  options: FieldOptions & {
    choices: readonly (readonly [value: string, label: string, isDisabled?: boolean])[];
    value: string;
    changed?(value: string): void;
  },
): TemplateResult =>
  field(
    form,
    options,
    ({ id, describedBy, invalid }) =>
      html`<select
        id=${id}
        name=${options.name}
        ?required=${options.isRequired}
        aria-describedby=${describedBy}
        aria-invalid=${invalid}
        @change=${(event: Event) => options.changed?.((event.target as HTMLSelectElement).value)}
      >
        ${options.choices.map(
          ([value, label, isDisabled]) =>
            html`<option value=${value} ?disabled=${isDisabled} ?selected=${value === options.value}>${label}</option>`,
        )}
      </select>`,
  );

/** Renders a check box or a radio button with its explanation. */
export const choice = (options: {
  name: string;
  label: string | TemplateResult;
  hint?: string;
  value?: string;
  isChecked?: boolean;
  isFocused?: boolean;
  type?: 'checkbox' | 'radio';
  changed?(isChecked: boolean): void;
}): TemplateResult =>
  html`<label class="choice">
    <input
      type=${options.type ?? 'checkbox'}
      name=${options.name}
      value=${options.value ?? 'on'}
      .checked=${options.isChecked ?? false}
      ?autofocus=${options.isFocused}
      @change=${(event: Event) => options.changed?.((event.target as HTMLInputElement).checked)}
    />
    <span>${options.label}${options.hint === undefined ? nothing : html`<small>${options.hint}</small>`}</span>
  </label>`;

/** Returns the text of a field without outer spaces. */
export const textOf = (data: FormData, name: string): string => String(data.get(name) ?? '').trim();

/** Returns the parts of a field that are separated by line breaks, spaces, commas or semicolons. */
export const listOf = (data: FormData, name: string): string[] =>
  textOf(data, name)
    .split(/[\s,;]+/)
    .filter(Boolean);

/** Returns the number in a field; null for an empty one. A text that is no number is sent as it is, and the API refuses it. */
export function numberOf(data: FormData, name: string): number | string | null {
  const text = textOf(data, name);
  if (text === '') return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}
