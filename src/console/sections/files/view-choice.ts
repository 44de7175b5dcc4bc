import { css, html } from 'lit';
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
  .order {
    display: flex;
    gap: 0.5rem;
    align-items: center;
    margin-inline-start: auto;
  }
  .order select {
    inline-size: auto;
  }
  .order .descending svg {
    transform: rotate(0);
  }
  .order .ascending svg {
    transform: rotate(180deg);
  }
  @media (pointer: fine) {
    .views button,
    .order button {
      min-block-size: 2.25rem;
      inline-size: 2.25rem;
    }
  }
  .above-grid {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem;
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

/** Renders buttons for the two views. */
export function viewChoice(router: Router, view: View): TemplateResult {
  const { views } = filesTexts;
  const choose = (value: View): void => {
    localStorage.setItem(KEY, value);
    router.setParams({ view: value }, { replace: true });
  };
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
  return html`<div class="views">
    <div class="pair-of-buttons" role="group" aria-label=${views.label}>${button('list')}${button('grid')}</div>
  </div>`;
}

/** Renders the order of a grid, which has no columns. */
export function gridOrder(router: Router, { sort, order }: ListOrder): TemplateResult {
  const { views, columns } = filesTexts;
  const sortBy = (params: Record<string, string>): void => router.setParams(params, { replace: true });
  const direction = order === 'asc' ? views.ascending : views.descending;
  return html`<div class="order">
    <select
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
    </button>
  </div>`;
}
