import { html } from 'lit';
import type { TemplateResult } from 'lit';
import { parseSize } from '../../../protocol/sizes.js';
import type { Api } from '../../api/api.js';
import { field, textOf } from '../../components/form.js';
import type { FieldOptions, FormState } from '../../components/form.js';

/** Returns a time as a field for date and time shows it, in the time zone of the browser. */
export function toLocalTime(iso: string): string {
  const time = new Date(iso);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Returns the time in a field for date and time; null for an empty one. */
export function timeOf(data: FormData, name: string): string | null {
  const text = textOf(data, name);
  const time = new Date(text);
  if (text === '') return null;
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
}

/** Returns a size exactly, as `sizeOf` reads it. */
export function sizeText(bytes: number | null): string {
  if (bytes === null) return '';
  for (const [unit, size] of [
    ['GB', 1e9],
    ['MB', 1e6],
    ['kB', 1e3],
  ] as const) {
    const text = `${bytes / size} ${unit}`;
    if (bytes >= size && bytes % (size / 10) === 0 && parseSize(text) === bytes) return text;
  }
  return String(bytes);
}

/** Returns the bytes in a field such as `10 MB`; null for an empty one. The API refuses a text that is no size. */
export function sizeOf(data: FormData, name: string): number | string | null {
  const text = textOf(data, name);
  return text === '' ? null : (parseSize(text) ?? text);
}

interface FilesPage {
  prefixes: string[];
  files: { path: string }[];
}

/** Suggests the folders, or also the files, of the folder that a person types. */
export class PathSuggestions {
  #folder: string | undefined;
  #paths: string[] = [];

  constructor(
    private readonly storage: Api,
    private readonly signal: AbortSignal,
  ) {}

  async #load(folder: string, changed: () => void): Promise<void> {
    if (folder === this.#folder) return;
    this.#folder = folder;
    const query = { prefix: folder === '' ? undefined : folder, delimiter: '/', limit: 200 };
    // A form works without suggestions.
    const page = await this.storage.get<FilesPage>('/v1/files', { query, signal: this.signal }).catch(() => undefined);
    if (!page || folder !== this.#folder) return;
    this.#paths = [...page.prefixes.map((prefix) => prefix.slice(0, -1)), ...page.files.map(({ path }) => path)];
    changed();
  }

  /** A field for the path of a folder or a file. */
  field(form: FormState, options: FieldOptions & { value?: string; placeholder?: string }): TemplateResult {
    const load = (event: Event): void => {
      const { value } = event.target as HTMLInputElement;
      void this.#load(value.slice(0, value.lastIndexOf('/') + 1), () => form.update());
    };
    return field(
      form,
      options,
      ({ id, describedBy, invalid }) =>
        html`<input
            id=${id}
            name=${options.name}
            list="path-suggestions"
            .value=${options.value ?? ''}
            placeholder=${options.placeholder ?? ''}
            autocomplete="off"
            autocapitalize="none"
            spellcheck="false"
            ?autofocus=${options.isFocused}
            aria-describedby=${describedBy}
            aria-invalid=${invalid}
            @focus=${load}
            @input=${load}
          />
          <datalist id="path-suggestions">${this.#paths.map((path) => html`<option value=${path}></option>`)}</datalist>`,
    );
  }
}
