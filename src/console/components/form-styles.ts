import { css } from 'lit';

/** Styles of forms, secrets and details in dialogs. `adoptSheet` applies them to the page, where the contents of dialogs are. */
export const formStyles = css`
  .form {
    display: grid;
    gap: 1rem;
  }
  .form fieldset {
    display: grid;
    gap: 0.5rem;
    min-inline-size: 0;
    margin: 0;
    padding: 0;
    border: 0;
  }
  .form fieldset.fields {
    gap: 1rem;
  }
  .form legend {
    padding: 0;
    margin-block-end: 0.25rem;
    font-weight: 500;
  }
  .form textarea {
    min-block-size: 4.5rem;
    resize: vertical;
  }
  .form [aria-invalid='true'] {
    border-color: var(--danger);
  }
  .form .choice {
    display: grid;
    grid-template-columns: auto 1fr;
    align-items: start;
    gap: 0 0.625rem;
    font-weight: 400;
    cursor: pointer;
  }
  .form .choice input {
    margin-block-start: 0.1875rem;
  }
  .form .choice > span {
    min-inline-size: 0;
  }
  .form .choice small {
    display: block;
    color: var(--muted);
    font-size: 0.8125rem;
  }
  .form .pair {
    display: grid;
    grid-template-columns: 1fr 6rem;
    gap: 0.5rem;
  }
  .form .columns {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr));
    gap: 1rem;
    align-items: start;
  }
  .form summary {
    font-weight: 500;
    cursor: pointer;
  }
  .form details > * + * {
    margin-block-start: 0.75rem;
  }
  .alert {
    display: flex;
    gap: 0.625rem;
    padding: 0.625rem 0.875rem;
    border-radius: var(--radius);
    background: var(--warning-soft);
  }
  .alert > svg {
    margin-block-start: 0.125rem;
    color: var(--warning);
  }
  .alert.note {
    background: var(--accent-soft);
  }
  .alert.note > svg {
    color: var(--accent);
  }
  .alert.good {
    background: var(--good-soft);
  }
  .alert.good > svg {
    color: var(--good);
  }
  .alert.problem {
    background: var(--danger-soft);
  }
  .alert.problem > svg {
    color: var(--danger);
  }
  .secret {
    display: grid;
    gap: 0.375rem;
    min-inline-size: 0;
  }
  .secret > div {
    display: flex;
    align-items: center;
    justify-content: space-between;
    gap: 0.5rem;
  }
  .secret pre {
    max-block-size: 18rem;
    margin: 0;
    padding: 0.625rem 0.75rem;
    overflow: auto;
    border: 1px solid var(--line);
    border-radius: var(--radius-small);
    background: var(--page);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .plain-list {
    margin: 0;
    padding-inline-start: 1.125rem;
  }
  @media (pointer: coarse) {
    .form .choice {
      padding-block: 0.375rem;
    }
    .form summary {
      padding-block: 0.5rem;
    }
  }
`;
