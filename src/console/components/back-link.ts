import { css, html } from 'lit';
import type { TemplateResult } from 'lit';
import { icon } from './icon.js';

/** Styles of `backLink`. */
export const backLinkStyles = css`
  .back {
    display: inline-flex;
    align-items: center;
    gap: 0.25rem;
    justify-self: start;
    align-self: start;
    color: var(--muted);
    text-decoration: none;
  }
  .back:hover {
    color: var(--text);
  }
  .back svg {
    inline-size: 0.875rem;
    block-size: 0.875rem;
  }
  .back:dir(ltr) svg {
    transform: scaleX(-1);
  }
  @media (pointer: coarse) {
    .back {
      min-block-size: 2.75rem;
    }
  }
`;

/** Renders a link to the list that a page belongs to. */
export const backLink = (href: string, title: string): TemplateResult =>
  html`<a class="back" href=${href}>${icon('chevron')}${title}</a>`;
