import { html } from 'lit';
import { openForm, selectField } from './form.js';

/** Seconds for which an earlier secret stays valid. */
const OVERLAPS = ['0', '3600', '86400'] as const;

/** Texts of a form that replaces a secret. */
export interface RotationTexts {
  text: string;
  overlap: string;
  hint: string;
  overlaps: Record<(typeof OVERLAPS)[number], string>;
  submit: string;
}

/**
 * Asks how long the earlier secret stays valid, and replaces it.
 * @param field the field of the API with the seconds, for errors
 * @param rotate sends the request
 */
export const openRotationForm = <Result>(
  heading: string,
  { text, overlap, hint, overlaps, submit }: RotationTexts,
  field: string,
  rotate: (seconds: number, signal: AbortSignal) => Promise<Result>,
): Promise<Result | undefined> =>
  openForm(heading, {
    submit,
    fields: (form) =>
      html`<p>${text}</p>
        ${selectField(form, {
          name: field,
          label: overlap,
          hint,
          choices: OVERLAPS.map((seconds) => [seconds, overlaps[seconds]]),
          value: '86400',
        })}`,
    send: (data, signal) => rotate(Number(data.get(field)), signal),
  });
