import { css, html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { icon } from '../../components/icon.js';
import { formatNumber } from '../../texts/format.js';
import { filesTexts } from './texts/texts.js';

export const selectionBarStyles = css`
  .selection {
    position: fixed;
    inset: auto 1rem 1rem;
    inset-inline-start: calc(var(--sidebar-size) + 1rem);
    z-index: 2;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.25rem;
    inline-size: fit-content;
    margin-inline: auto;
    padding: 0.375rem 0.375rem 0.375rem 1rem;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--raised);
    box-shadow: var(--shadow);
  }
  .selection strong {
    margin-inline-end: auto;
    font-weight: 500;
  }
  .selection strong {
    padding-inline-end: 1rem;
  }
  @media (max-width: 52rem) {
    .selection {
      inset: auto 0 0;
      inline-size: auto;
      padding: 0.5rem;
      border-inline-width: 0;
      border-block-end-width: 0;
      border-radius: 0;
    }
    .selection strong {
      flex: 1 0 calc(100% - 4rem);
      padding-inline-start: 0.5rem;
    }
    .selection .select-all {
      flex-basis: 100%;
      border-color: var(--line);
    }
    /* The button that clears the selection stands beside the count. */
    .selection button:not(.icon) {
      order: 1;
    }
    .selection .action {
      flex: 1;
      flex-direction: column;
      gap: 0;
      min-inline-size: 4rem;
      padding-inline: 0.25rem;
      font-size: 0.75rem;
    }
  }
`;

export interface SelectionActions {
  download(): void;
  s3(): void;
  move(): void;
  copy(): void;
  delete(): void;
  clear(): void;
  /** Selects all matches, also those that are not loaded. Undefined if nothing else matches. */
  selectAll: (() => void) | undefined;
}

/** Renders actions for all selected rows. The bar lies above the list, so that no row moves. */
export function selectionBar(count: number | 'all', mayWrite: boolean, actions: SelectionActions): TemplateResult {
  const { selection, actions: labels } = filesTexts;
  const button = (sign: 'download' | 'code' | 'move' | 'copy' | 'trash', label: string, run: () => void) =>
    html`<button class="plain action" @click=${run}>${icon(sign)}${label}</button>`;
  return html`<div class="selection" role="toolbar" aria-label=${selection.label}>
    <strong role="status">${count === 'all' ? selection.all : selection.count(formatNumber(count))}</strong>
    ${actions.selectAll ? html`<button class="plain select-all" @click=${actions.selectAll}>${selection.selectAll}</button>` : nothing}
    ${button('download', labels.download, actions.download)} ${button('code', filesTexts.s3.short, actions.s3)}
    ${
      mayWrite
        ? html`${button('move', labels.move, actions.move)} ${button('copy', labels.copy, actions.copy)}
          ${button('trash', labels.delete, actions.delete)}`
        : nothing
    }
    <button class="plain icon" aria-label=${selection.clear} title=${selection.clear} @click=${actions.clear}>
      ${icon('close')}
    </button>
  </div>`;
}
