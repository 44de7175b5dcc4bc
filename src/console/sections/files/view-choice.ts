import { css, html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { icon } from '../../components/icon.js';
import type { Place, Router } from '../../shell/router.js';
import type { ListOrder } from './folder-listing.js';
import { filesTexts } from './texts/texts.js';

export type View = 'list' | 'grid';

const KEY = 'console-files-view';
const SORTS = ['name', 'size', 'updated'] as const;

export const viewChoiceStyles = css`
  .views {
    display: flex;
    gap: 0.5rem;
    align-items: center;
    margin-inline-start: auto;
  }
  .views .pair-of-buttons {
    display: flex;
  }
  .views .pair-of-buttons button:first-child {
    border-start-end-radius: 0;
    border-end-end-radius: 0;
  }
  .views .pair-of-buttons button:last-child {
    margin-inline-start: -1px;
    border-start-start-radius: 0;
    border-end-start-radius: 0;
  }
  .views [aria-pressed='true'] {
    background: var(--pressed);
  }
  .views select {
    inline-size: auto;
  }
  @media (pointer: fine) {
    .views button {
      min-block-size: 2.25rem;
      inline-size: 2.25rem;
    }
  }
  .views .descending svg {
    transform: rotate(0);
  }
  .views .ascending svg {
    transform: rotate(180deg);
  }
  .all {
    display: inline-flex;
    align-items: center;
    gap: 0.5rem;
    font-weight: 400;
  }
  @media (forced-colors: active) {
    .views [aria-pressed='true'] {
      background: Highlight;
      color: HighlightText;
    }
  }
`;

/** Returns the view that the address names, or else the last chosen one. */
export function viewOf({ params }: Place): View {
  const view = params.get('view') ?? localStorage.getItem(KEY);
  return view === 'grid' ? 'grid' : 'list';
}

/** Buttons for the two views and, because a grid has no columns, the order of the grid. */
export function viewChoice(router: Router, view: View, { sort, order }: ListOrder): TemplateResult {
  const { views, columns } = filesTexts;
  const choose = (value: View): void => {
    localStorage.setItem(KEY, value);
    router.setParams({ view: value }, { replace: true });
  };
  const sortBy = (params: Record<string, string>): void => router.setParams(params, { replace: true });
  const button = (value: View): TemplateResult =>
    html`<button
      class="icon"
      aria-pressed=${String(view === value)}
      aria-label=${views[value]}
      title=${views[value]}
      @click=${() => choose(value)}
    >
      ${icon(value)}
    </button>`;
  const direction = order === 'asc' ? views.ascending : views.descending;
  return html`<div class="views">
    ${
      view === 'grid'
        ? html`<select
              name="sort"
              aria-label=${views.sort}
              @change=${({ target }: Event) => sortBy({ sort: (target as HTMLSelectElement).value, order })}
            >
              ${SORTS.map((value) => html`<option value=${value} ?selected=${sort === value}>${columns[value]}</option>`)}
            </select>
            <button
              class="icon ${order === 'asc' ? 'ascending' : 'descending'}"
              aria-label=${direction}
              title=${direction}
              @click=${() => sortBy({ sort, order: order === 'asc' ? 'desc' : 'asc' })}
            >
              ${icon('sort')}
            </button>`
        : nothing
    }
    <div class="pair-of-buttons" role="group" aria-label=${views.label}>${button('list')}${button('grid')}</div>
  </div>`;
}
