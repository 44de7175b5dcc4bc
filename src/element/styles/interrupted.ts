import { css } from 'lit';

/** The uploads that an earlier visit began. Their text has the whole width below the name and the button. */
export const interruptedStyles = css`
  .interrupted {
    margin-block-end: 0;
    padding: 0;
    list-style: none;
  }
  .interrupted .row {
    row-gap: 2px;
    padding-block: 6px;
  }
  .interrupted .words {
    display: contents;
  }
  .interrupted .path {
    justify-self: start;
  }
  .interrupted .glyph {
    grid-row: span 2;
  }
  .interrupted .status {
    grid-area: 2 / 2 / auto / -1;
  }
  .interrupted progress {
    --_accent: var(--_edge);
  }
  .interrupted .row:last-child {
    border-block-end: 0;
  }
  .interrupted .row:last-child progress {
    inset-block-end: 0;
  }
`;
