import { css, html, nothing } from 'lit';
import type { TemplateResult } from 'lit';

export interface SubPage {
  title: string;
  href: string;
  isCurrent: boolean;
}

export const subNavigationStyles = css`
  .sub-pages {
    display: flex;
    gap: 0.25rem;
    border-block-end: 1px solid var(--line);
    overflow-x: auto;
    scrollbar-width: none;
  }
  .sub-pages a {
    flex: none;
    padding: 0.5rem 0.625rem;
    border-block-end: 2px solid transparent;
    border-start-start-radius: var(--radius-small);
    border-start-end-radius: var(--radius-small);
    color: var(--muted);
    font-weight: 500;
    text-decoration: none;
  }
  .sub-pages a:hover {
    background: var(--hover);
    color: var(--text);
  }
  .sub-pages a:focus-visible {
    outline-offset: -2px;
  }
  .sub-pages a[aria-current] {
    border-color: var(--accent);
    color: var(--text);
  }
  @media (pointer: coarse) {
    .sub-pages a {
      padding-block: 0.75rem;
    }
  }
`;

/** Links to the pages of a section. @param label name of the navigation */
export const subNavigation = (label: string, pages: readonly SubPage[]): TemplateResult =>
  html`<nav class="sub-pages" aria-label=${label}>
    ${pages.map(({ title, href, isCurrent }) => html`<a href=${href} aria-current=${isCurrent ? 'page' : nothing}>${title}</a>`)}
  </nav>`;
