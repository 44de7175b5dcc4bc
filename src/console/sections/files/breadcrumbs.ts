import { css, html } from 'lit';
import type { TemplateResult } from 'lit';
import { icon } from '../../components/icon.js';
import type { Router } from '../../shell/router.js';
import { folderHref } from './entries.js';
import { filesTexts } from './texts/texts.js';

export const breadcrumbStyles = css`
  .crumbs {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    align-content: center;
    min-inline-size: 0;
    min-block-size: 2rem;
    /* The names have a padding, but begin where the content begins. */
    margin: 0 -0.25rem;
    padding: 0;
    list-style: none;
    font-size: 1.125rem;
  }
  .crumbs li {
    display: flex;
    align-items: center;
    min-inline-size: 0;
  }
  .crumbs svg {
    inline-size: 0.875rem;
    block-size: 0.875rem;
    margin-inline: 0.125rem;
    color: var(--muted);
  }
  :dir(rtl) > .crumbs svg {
    transform: scaleX(-1);
  }
  .crumbs a {
    padding: 0.25rem;
    line-height: 1.333;
    border-radius: 0.25rem;
    color: var(--muted);
    text-decoration: none;
  }
  .crumbs a:hover {
    background: var(--hover);
    color: var(--text);
  }
  @media (pointer: coarse) {
    .crumbs {
      min-block-size: 2.75rem;
    }
  }
  .crumbs h1 {
    padding: 0.25rem;
    font-size: 1.125rem;
    line-height: 1.333;
    outline: none;
  }
`;

/** Renders the path of a folder. Its last part is the heading of the page. */
export function breadcrumbs(router: Router, prefix: string): TemplateResult {
  const names = prefix === '' ? [] : prefix.slice(0, -1).split('/');
  const all = [filesTexts.root, ...names];
  return html`<nav aria-label=${filesTexts.path}>
    <ol class="crumbs">
      ${all.map((name, index) => {
        if (index === all.length - 1)
          return html`<li>
            ${index > 0 ? icon('chevron') : ''}
            <h1 tabindex="-1"><bdi>${name}</bdi></h1>
          </li>`;
        const parent = names
          .slice(0, index)
          .map((part) => `${part}/`)
          .join('');
        return html`<li>
          ${index > 0 ? icon('chevron') : ''}<a href=${folderHref(router, parent)}><bdi>${name}</bdi></a>
        </li>`;
      })}
    </ol>
  </nav>`;
}
