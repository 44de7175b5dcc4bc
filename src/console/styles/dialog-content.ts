import { css } from 'lit';

/** Styles for the contents of dialogs, which lie in the page and in no shadow tree. */
export const dialogContent = css`
  .shortcuts {
    display: grid;
    gap: 0.375rem;
    margin: 0;
  }
  .shortcut {
    display: grid;
    grid-template-columns: 8.5rem 1fr;
    gap: 0.75rem;
  }
  .shortcut dd {
    margin: 0;
  }
  .rows {
    display: grid;
    gap: 0.125rem;
    max-block-size: 20rem;
    overflow: auto;
    padding: 0.25rem;
    border: 1px solid var(--line);
    border-radius: var(--radius);
  }
  .rows .row {
    justify-content: start;
    gap: 0.625rem;
    font-weight: 400;
    white-space: normal;
    text-align: start;
  }
  .rows .row:focus-visible {
    outline-offset: -2px;
  }
  .rows p {
    padding: 0.5rem;
  }
  progress {
    inline-size: 100%;
    accent-color: var(--accent);
  }
  .facts {
    display: grid;
    gap: 0.25rem;
    margin: 0;
  }
  .facts > div {
    display: grid;
    grid-template-columns: 8.75rem minmax(0, 1fr);
    align-items: baseline;
    gap: 0.75rem;
  }
  .facts dt {
    color: var(--muted);
  }
  .facts dd {
    display: flex;
    align-items: center;
    justify-content: space-between;
    gap: 0.5rem;
    min-block-size: 2rem;
    margin: 0;
    overflow-wrap: anywhere;
  }
  fieldset {
    display: grid;
    gap: 0.75rem;
    margin: 0;
    padding: 0;
    border: 0;
  }
  legend {
    margin-block-end: 0.5rem;
    padding: 0;
    font-weight: 500;
  }
  .choice {
    display: flex;
    gap: 0.625rem;
  }
  .choice input {
    margin-block-start: 0.1875rem;
  }
  .choice .hint {
    font-weight: 400;
  }
  .warning-note {
    display: flex;
    gap: 0.625rem;
    margin-block-start: 0.25rem;
    padding: 0.5rem 0.75rem;
    border: 1px solid transparent;
    border-radius: var(--radius-small);
    background: var(--warning-soft);
  }
  .warning-note svg {
    color: var(--warning);
  }
  .pair {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(12rem, 100%), 1fr));
    align-items: start;
    gap: 1rem;
  }
  .with-copy {
    display: flex;
    align-items: start;
    justify-content: space-between;
    gap: 0.5rem;
    padding: 0.5rem 0.625rem;
    border: 1px solid var(--line);
    border-radius: var(--radius-small);
    background: var(--page);
  }
  .with-copy :is(code, pre) {
    flex: 1;
    min-inline-size: 0;
    margin: 0;
    align-self: center;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  details > h3 {
    margin-block: 1rem 0.375rem;
  }
  summary {
    cursor: pointer;
    font-weight: 500;
  }
  .preview {
    display: grid;
    place-items: center;
    margin: 0;
    max-block-size: 24rem;
    overflow: auto;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--page);
  }
  pre.preview {
    display: block;
    padding: 0.75rem;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .preview :is(img, video) {
    display: block;
    max-inline-size: 100%;
    max-block-size: 24rem;
  }
  .preview audio {
    inline-size: 100%;
  }
  @media (max-width: 30rem) {
    .facts > div {
      grid-template-columns: 6rem minmax(0, 1fr);
    }
  }
  @media (pointer: coarse) {
    summary {
      padding-block: 0.625rem;
    }
    .facts copy-button {
      margin-block: -0.375rem;
    }
  }
`;
