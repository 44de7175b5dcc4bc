import { css } from 'lit';

/** The fields below the name of a file. The line for an error is reserved, so that rows keep their height. */
export const fieldStyles = css`
  .fields {
    display: flex;
    flex-wrap: wrap;
    grid-area: auto / 2 / auto / -1;
    gap: 0 12px;
    min-inline-size: 0;
  }
  .root > .fields {
    margin-block-start: 8px;
  }
  .field {
    display: grid;
    flex: 1 1 10rem;
    /* Controls beside each other are aligned, also if one label has more lines. */
    grid-template-rows: 1fr auto auto;
    gap: 2px;
    min-inline-size: 0;
  }
  .field label {
    align-self: end;
    color: var(--_muted);
    font-size: 0.75rem;
    line-height: 1rem;
    overflow-wrap: anywhere;
  }
  .field :is(input, select) {
    inline-size: 100%;
    min-inline-size: 0;
    /* Without it, lists of choices have another height than texts in WebKit. */
    block-size: max(32px, 2.25em);
    margin: 0;
    padding: 5px 8px;
    border: 1px solid var(--_edge);
    border-radius: min(6px, var(--_radius));
    background: transparent;
    color: inherit;
    font: inherit;
    text-align: start;
  }
  .field select {
    padding-inline: 4px;
  }
  /* The browser draws the options on its own background. */
  .field option {
    background: Canvas;
    color: CanvasText;
  }
  .field :is(input, select):focus-visible {
    outline: 2px solid var(--_accent);
    outline-offset: -1px;
  }
  .field input[readonly] {
    padding-inline: 0;
    border-color: transparent;
    text-overflow: ellipsis;
  }
  .field [aria-invalid] {
    border-color: var(--_danger);
  }
  .field-error {
    min-block-size: 1rem;
    color: var(--_danger);
    font-size: 0.75rem;
    line-height: 1rem;
  }
  .long .row:has(.fields) {
    block-size: auto;
    padding-block: 4px;
  }
  .row:has(.fields) {
    row-gap: 4px;
    padding-block: 8px 4px;
  }
  @container (inline-size < 420px) {
    .row > .fields {
      grid-column-start: 1;
    }
  }
  @media (pointer: coarse) {
    .field :is(input, select) {
      block-size: max(44px, 2.75em);
      /* With a smaller font, phones enlarge the page. */
      font-size: max(1rem, 16px);
    }
  }
  @media print {
    .field :is(input, select) {
      block-size: auto;
      padding-block: 0;
    }
  }
`;
