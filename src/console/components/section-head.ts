import { css, html } from 'lit';
import type { TemplateResult } from 'lit';
import { subNavigation, subNavigationStyles } from './sub-navigation.js';
import type { SubPage } from './sub-navigation.js';

/** Styles of a section with `sectionHead`. */
export const sectionHeadStyles = [
  subNavigationStyles,
  css`
    :host {
      display: grid;
      grid-template-columns: minmax(0, 1fr);
      align-content: start;
      gap: 0.75rem;
    }
  `,
];

/** Scrolls the link of the current page into a narrow window. */
export const revealCurrentPage = (root: ParentNode): void =>
  root.querySelector('.sub-pages [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });

/** Renders the heading of a section and its pages. */
export const sectionHead = (title: string, pages: readonly SubPage[]): TemplateResult =>
  html`<h1>${title}</h1>
    ${subNavigation(title, pages)}`;
