import { css, html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { texts } from '../texts/texts.js';
import { describeError } from './describe-error.js';
import { icon } from './icon.js';
import type { IconName } from './icon.js';

/** Styles of `emptyState`, `errorState` and `banner`. */
export const noticeStyles = css`
  .state {
    display: grid;
    justify-items: center;
    gap: 0.5rem;
    max-inline-size: 28rem;
    margin: 0 auto;
    padding: 4rem 1rem;
    text-align: center;
  }
  .state > svg {
    inline-size: 2.25rem;
    block-size: 2.25rem;
    margin-block-end: 0.25rem;
    color: var(--muted);
    stroke-width: 1.25;
  }
  .state p {
    color: var(--muted);
    text-wrap: balance;
  }
  .state .actions {
    display: flex;
    flex-wrap: wrap;
    justify-content: center;
    gap: 0.5rem;
    margin-block-start: 0.75rem;
  }
  .banner {
    display: flex;
    align-items: center;
    gap: 0.625rem;
    padding: 0.5rem 0.875rem;
    border: 1px solid transparent;
    border-radius: var(--radius);
    background: var(--accent-soft);
  }
  .banner > svg {
    color: var(--accent);
  }
  .banner.warning {
    background: var(--warning-soft);
  }
  .banner.warning > svg {
    color: var(--warning);
  }
  .banner.problem {
    background: var(--danger-soft);
  }
  .banner.problem > svg {
    color: var(--danger);
  }
  .banner > span {
    flex: 1;
  }
`;

/** Renders a page or list without content. */
export const emptyState = (
  sign: IconName,
  { title, text }: { title: string; text: string },
  actions?: TemplateResult,
): TemplateResult =>
  html`<div class="state">
    ${icon(sign)}
    <h2>${title}</h2>
    <p>${text}</p>
    ${actions ? html`<div class="actions">${actions}</div>` : nothing}
  </div>`;

/** Renders an error in place of a page or list, with advice and another attempt. */
export function errorState(error: unknown, retry: () => void): TemplateResult {
  const { title, advice } = describeError(error);
  return html`<div class="state" role="alert">
    ${icon('warning')}
    <h2>${title}</h2>
    <p>${advice}</p>
    <div class="actions"><button @click=${retry}>${icon('refresh')}${texts.retry}</button></div>
  </div>`;
}

/** Renders a line above the content. */
export const banner = (kind: 'note' | 'warning' | 'problem', sign: IconName, text: string): TemplateResult =>
  html`<p class="banner ${kind}">${icon(sign)}<span>${text}</span></p>`;
