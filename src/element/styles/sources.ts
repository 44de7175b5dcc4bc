import { css } from 'lit';

/** The menu and the dialogs stand at the lower edge of a phone. */
export const bottomSheet = css`
  inset: auto 0 0;
  inline-size: 100%;
  max-inline-size: none;
  margin: 0;
  border-width: 1px 0 0;
  border-radius: calc(var(--_radius) + 8px) calc(var(--_radius) + 8px) 0 0;
`;

/** The menu of the sources, and what it has in common with their dialogs: they are above the page, so they have its background. */
export const sourceMenuStyles = css`
  .pick[aria-haspopup]::after {
    content: '';
    display: inline-block;
    inline-size: 6px;
    block-size: 6px;
    margin-inline-start: 10px;
    border: solid;
    border-width: 0 1.5px 1.5px 0;
    translate: 0 -2.5px;
    rotate: 45deg;
  }
  :is(.source-menu, .source-dialog, .source-bar) {
    box-sizing: border-box;
    margin: 0;
    border: 1px solid var(--_line);
    background: var(--_page-background, Canvas);
    color: var(--_page-text, CanvasText);
    box-shadow: 0 12px 32px rgb(0 0 0 / 24%);
  }
  .source-menu {
    inset: auto;
    top: var(--_menu-top, 0);
    left: var(--_menu-left, 0);
    min-inline-size: 13rem;
    max-inline-size: calc(100vw - 16px);
    max-block-size: calc(100vh - 16px);
    padding: 4px;
    border-radius: var(--_radius);
    overflow: auto;
  }
  .source {
    display: flex;
    align-items: center;
    gap: 12px;
    inline-size: 100%;
    min-block-size: 40px;
    padding: 6px 12px;
    border-radius: calc(var(--_radius) - 3px);
    text-align: start;
  }
  .source svg {
    color: var(--_muted);
  }
  .source:hover,
  .source:focus-visible {
    background: var(--_fill-hover);
  }
  .source:active {
    background: var(--_fill-active);
  }
  .source:focus-visible {
    outline-offset: -2px;
  }
  @media (max-width: 480px) {
    .source-menu {
      ${bottomSheet}
      padding: 8px 8px max(8px, env(safe-area-inset-bottom));
    }
    .source-menu::backdrop {
      background: rgb(0 0 0 / 50%);
    }
    .source {
      min-block-size: 48px;
    }
  }
  @media (pointer: coarse) {
    .source {
      min-block-size: 48px;
    }
  }
`;
