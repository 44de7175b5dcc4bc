import { css } from 'lit';

/** The dialog of a link. It is a dialog of the sources with a form. */
export const linkDialogStyles = css`
  .source-dialog:has(.link-form) {
    max-inline-size: 32rem;
  }
  .link-form label {
    display: block;
    padding: 4px 20px 6px;
  }
  .link-form input {
    box-sizing: border-box;
    inline-size: calc(100% - 40px);
    min-block-size: 44px;
    margin: 0 20px;
    padding: 8px 12px;
    border: 1px solid var(--_edge);
    border-radius: calc(var(--_radius) - 2px);
    background: transparent;
    color: inherit;
    font: inherit;
  }
  .link-form input::placeholder {
    color: var(--_muted);
    opacity: 1;
  }
  .link-form input:focus-visible {
    outline: 2px solid var(--_accent);
    outline-offset: -1px;
  }
  .link-form [aria-invalid='true'] {
    border-color: var(--_danger);
  }
  .link-problem {
    display: flex;
    gap: 8px;
    /* Two lines, so that the buttons stay in place. */
    min-block-size: 3em;
    margin: 6px 20px 0;
    color: var(--_danger);
    line-height: 1.5;
  }
  .link-problem svg {
    flex: none;
    margin-block-start: 0.15em;
  }
  .link-hint {
    flex: 1 1 14rem;
    margin: 0;
    color: var(--_muted);
    font-size: 0.875rem;
    line-height: 1.25rem;
  }
  @media (pointer: coarse) {
    .link-form input {
      /* With a smaller font, phones enlarge the page. */
      font-size: max(1rem, 16px);
    }
  }
`;
