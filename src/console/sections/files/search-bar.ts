import { css, html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { icon } from '../../components/icon.js';
import type { Router } from '../../shell/router.js';
import { filesTexts } from './texts/texts.js';

export const searchBarStyles = css`
  .search {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem;
  }
  .search .text {
    position: relative;
    flex: 1 1 8rem;
    max-inline-size: 28rem;
  }
  .search .text svg {
    position: absolute;
    inset-block-start: 50%;
    inset-inline-start: 0.625rem;
    translate: 0 -50%;
    color: var(--muted);
    pointer-events: none;
  }
  .search .text input {
    padding-inline-start: 2.125rem;
  }
  .search select {
    inline-size: auto;
  }
  .search details {
    flex-basis: 100%;
    min-inline-size: 0;
  }
  .search summary {
    color: var(--muted);
    cursor: pointer;
  }
  .search .more {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(9.5rem, 100%), 1fr));
    gap: 0.75rem;
    max-inline-size: 44rem;
    padding-block: 0.5rem;
  }
  .search .more .field {
    grid-template-columns: minmax(0, 1fr);
  }
  @media (max-width: 40rem) {
    /* The first line has room for the type and for the button that clears the search, but not for more. */
    .search .text {
      flex-basis: calc(100% - 14rem);
      max-inline-size: none;
    }
    .search .clear {
      inline-size: 2.75rem;
      padding: 0;
      font-size: 0;
      gap: 0;
    }
    /* The views stand beside the closed filter. */
    .search details:not([open]) {
      flex: 1 0 9rem;
    }
    .search .views {
      order: 1;
    }
  }
  @media (pointer: coarse) {
    .search summary {
      padding-block: 0.6875rem;
    }
  }
`;

const TYPES = ['image', 'video', 'audio', 'pdf', 'text'] as const;
/** Parameters of the address that make the list a search. */
const FIELDS = ['q', 'type', 'min', 'max', 'after', 'before'] as const;
const MEGABYTE = 1_000_000;
/** Files have ids of this form. */
const FILE_ID = /^file_[a-z0-9]{20,40}$/;

/** Returns a number of megabytes in bytes; undefined if it is none. */
function bytesOf(megabytes: string): number | undefined {
  const bytes = Math.round(Number(megabytes) * MEGABYTE);
  return bytes > 0 && Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** Returns the beginning of a day such as `2030-01-31`; undefined if no calendar has it. */
function timeOf(day: string): string | undefined {
  const date = new Date(`${day}T00:00`);
  return /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(date.getTime()) ? date.toISOString() : undefined;
}

/** Returns the fields of `GET /v1/files` that an address asks for; undefined if it names a folder only. */
export function searchOf(params: URLSearchParams): Record<string, string | number> | undefined {
  const text = (name: (typeof FIELDS)[number]): string => params.get(name)?.trim() ?? '';
  const q = text('q');
  const [min, max] = [bytesOf(text('min')), bytesOf(text('max'))];
  const [after, before] = [timeOf(text('after')), timeOf(text('before'))];
  const fields = {
    ...(q !== '' && (FILE_ID.test(q) ? { id: q } : { name: q })),
    ...((TYPES as readonly string[]).includes(text('type')) && { type: text('type') }),
    ...(min !== undefined && { min_size: min }),
    ...(max !== undefined && { max_size: max }),
    ...(after !== undefined && { updated_after: after }),
    ...(before !== undefined && { updated_before: before }),
  };
  return Object.keys(fields).length > 0 ? fields : undefined;
}

/** Renders the fields of a search in the shown folder and all folders below it. @param views the choice of the view, at the end of the line */
export function searchBar(router: Router, views: TemplateResult): TemplateResult {
  const { params } = router.place;
  const { search } = filesTexts;
  const change = (name: string, value: string): void =>
    router.setParams({ [name]: value.trim() === '' ? undefined : value.trim() }, { replace: params.has(name) });
  const changed = (event: Event): void => {
    const field = event.target as HTMLInputElement | HTMLSelectElement;
    change(field.name, field.value);
  };
  const field = (name: string, label: string, type: 'number' | 'date'): TemplateResult => {
    const text = params.get(name)?.trim() ?? '';
    const isUsable = (type === 'number' ? bytesOf(text) : timeOf(text)) !== undefined;
    return html`<div class="field">
      <label for=${name}>${label}</label>
      <input id=${name} name=${name} type=${type} min="0" step="any" .value=${isUsable ? text : ''} @change=${changed} />
    </div>`;
  };
  const isFiltered = FIELDS.slice(2).some((name) => params.has(name));
  return html`<search class="search">
    <div class="text">
      ${icon('search')}
      <input
        type="search"
        name="q"
        aria-label=${search.label}
        placeholder=${search.label}
        autocomplete="off"
        spellcheck="false"
        maxlength="255"
        .value=${params.get('q') ?? ''}
        @change=${changed}
      />
    </div>
    <select name="type" aria-label=${search.type} .value=${params.get('type') ?? ''} @change=${changed}>
      <option value="">${search.anyType}</option>
      ${TYPES.map((type) => html`<option value=${type} ?selected=${params.get('type') === type}>${search.types[type]}</option>`)}
    </select>
    ${
      searchOf(params) === undefined
        ? nothing
        : html`<button
            class="plain clear"
            title=${search.clear}
            @click=${() => router.setParams(Object.fromEntries(FIELDS.map((name) => [name, undefined])))}
          >
            ${icon('close')}${search.clear}
          </button>`
    }
    ${views}
    <details ?open=${isFiltered}>
      <summary>${search.more}</summary>
      <div class="more">
        ${field('min', search.minSize, 'number')} ${field('max', search.maxSize, 'number')}
        ${field('after', search.after, 'date')} ${field('before', search.before, 'date')}
      </div>
    </details>
  </search>`;
}
