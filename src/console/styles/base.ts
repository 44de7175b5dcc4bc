import { css } from 'lit';

/** Styles that every component includes: focus, buttons, links, fields, texts for screen readers. */
export const base = css`
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  :host([hidden]),
  [hidden] {
    display: none !important;
  }
  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
  }
  h1,
  h2,
  h3,
  p {
    margin: 0;
  }
  h1 {
    font-size: 1.25rem;
    line-height: 1.3;
    font-weight: 600;
    letter-spacing: -0.01em;
  }
  h2 {
    font-size: 1rem;
    line-height: 1.4;
    font-weight: 600;
  }
  a {
    color: var(--accent);
    text-underline-offset: 0.2em;
  }
  code,
  pre {
    font-family: var(--mono);
    font-size: 0.8125rem;
  }
  button,
  .button {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 0.375rem;
    min-block-size: 2rem;
    padding: 0.25rem 0.75rem;
    border: 1px solid var(--line);
    border-radius: var(--radius-small);
    background: var(--surface);
    color: var(--text);
    font: inherit;
    font-weight: 500;
    text-decoration: none;
    white-space: nowrap;
    cursor: pointer;
    touch-action: manipulation;
  }
  button:hover,
  .button:hover {
    background: var(--hover);
  }
  button:active,
  .button:active {
    background: var(--pressed);
  }
  button:is(:disabled, [aria-disabled='true']) {
    color: var(--muted);
    opacity: 0.65;
    cursor: not-allowed;
  }
  button.primary,
  .button.primary {
    border-color: transparent;
    background: var(--accent);
    color: var(--on-accent);
  }
  button.primary:hover {
    background: var(--accent-strong);
  }
  button.danger {
    border-color: transparent;
    background: var(--danger);
    color: var(--on-danger);
  }
  button.danger:hover {
    background: var(--danger-strong);
  }
  button.plain,
  .button.plain {
    border-color: transparent;
    background: transparent;
  }
  :is(button, .button).plain:hover {
    background: var(--hover);
  }
  button.icon,
  .button.icon {
    padding: 0;
    inline-size: 2rem;
    flex: none;
  }
  svg.icon-sign {
    inline-size: 1.125rem;
    block-size: 1.125rem;
    flex: none;
    fill: none;
    stroke: currentColor;
    stroke-width: 1.75;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  label {
    font-weight: 500;
  }
  input:not([type='checkbox'], [type='radio'], [type='range']),
  select,
  textarea {
    inline-size: 100%;
    min-block-size: 2.25rem;
    padding: 0.25rem 0.625rem;
    border: 1px solid var(--field-line);
    border-radius: var(--radius-small);
    background: var(--surface);
    color: var(--text);
    font: inherit;
  }
  input[type='checkbox'],
  input[type='radio'] {
    inline-size: 1rem;
    block-size: 1rem;
    margin: 0;
    flex: none;
    accent-color: var(--accent);
  }
  ::placeholder {
    color: var(--muted);
    opacity: 1;
  }
  .field {
    display: grid;
    gap: 0.25rem;
  }
  .form ul {
    margin: 0;
    padding-inline-start: 1.125rem;
  }
  .choice {
    display: flex;
    align-items: start;
    gap: 0.625rem;
    font-weight: 400;
  }
  .choice input {
    margin-block-start: 0.1875rem;
  }
  .hint,
  .muted {
    color: var(--muted);
  }
  .hint {
    font-size: 0.8125rem;
    text-wrap: pretty;
  }
  .error {
    color: var(--danger);
    font-size: 0.8125rem;
  }
  kbd {
    padding: 0.0625rem 0.375rem;
    border: 1px solid var(--line);
    border-block-end-width: 2px;
    border-radius: 0.25rem;
    background: var(--hover);
    font: inherit;
    font-size: 0.75rem;
  }
  h3 {
    font-size: 0.8125rem;
    font-weight: 600;
  }
  .fields {
    display: grid;
    gap: 1rem;
  }
  .visually-hidden {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  @media (pointer: coarse) {
    button,
    .button {
      min-block-size: 2.75rem;
    }
    button.icon,
    .button.icon {
      inline-size: 2.75rem;
    }
    input:not([type='checkbox'], [type='radio'], [type='range']),
    select,
    textarea {
      min-block-size: 2.75rem;
      /* iOS zooms into fields with smaller letters. */
      font-size: 1rem;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    *,
    *::before,
    *::after {
      transition: none !important;
      animation: none !important;
    }
  }
  @media (forced-colors: active) {
    button,
    .button {
      border-color: ButtonText;
    }
  }
`;
