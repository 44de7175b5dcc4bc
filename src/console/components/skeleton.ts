import { css, html } from 'lit';
import type { TemplateResult } from 'lit';

/** Styles of `skeleton`. */
export const skeletonStyles = css`
  .skeleton {
    display: inline-block;
    block-size: 0.75rem;
    inline-size: 60%;
    border-radius: 0.25rem;
    background: var(--pressed);
    animation: wait 1.4s ease-in-out infinite alternate;
  }
  .skeleton.short {
    inline-size: 2.5rem;
  }
  @keyframes wait {
    to {
      opacity: 0.45;
    }
  }
`;

/** Renders a bar in place of a text that is being loaded. */
export const skeleton = (size: 'long' | 'short' = 'long'): TemplateResult => html`<span class="skeleton ${size}"></span>`;
