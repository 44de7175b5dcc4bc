import { css } from 'lit';

/** The rows. A row is 56 px high, with a hairline below it and a thin progress bar on the hairline. */
export const listStyles = css`
  .files {
    margin-block-start: 12px;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    overflow: clip;
  }
  .quiet .state {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .list {
    max-block-size: var(--_list);
    margin: 0;
    padding: 0;
    overflow: auto;
    overscroll-behavior: contain;
    overflow-anchor: none;
    list-style: none;
  }
  /* Space for the rows that are not rendered. */
  .list::before,
  .list::after {
    content: '';
    display: block;
    block-size: var(--_before, 0);
  }
  .list::after {
    block-size: var(--_after, 0);
  }
  .row {
    position: relative;
    display: grid;
    grid-template-columns: 40px minmax(0, 1fr) auto;
    align-items: center;
    gap: 12px;
    min-block-size: calc(var(--_row) + 1px);
    /* A name and two lines of text fit in the row. */
    padding: 2px 8px;
    border-block-end: 1px solid var(--_line);
  }
  /* An error has the whole width below the name and the buttons. */
  .row.problem {
    padding-block: 8px;
    row-gap: 2px;
  }
  .list:not(.long) .row.problem .words {
    display: contents;
  }
  .list:not(.long) .row.problem .glyph {
    grid-row: span 2;
  }
  .list:not(.long) .row.problem .status {
    grid-area: 2 / 2 / auto / -1;
  }
  .list:not(.long) .row:last-child {
    min-block-size: var(--_row);
    border-block-end: 0;
  }
  .long .row {
    block-size: calc(var(--_row) + 1px);
    padding-block: 0;
  }
  .glyph {
    position: relative;
    display: grid;
    place-items: center;
    inline-size: 40px;
    block-size: 40px;
    border-radius: 6px;
    background: var(--_fill);
    color: var(--_muted);
    font-size: 0.625rem;
    font-weight: 600;
    letter-spacing: 0.03em;
    overflow: hidden;
  }
  .view {
    cursor: zoom-in;
    /* The letters disappear when the thumbnail appears. */
    transition: none;
  }
  .view canvas {
    transition: filter var(--_quick);
  }
  .view:hover canvas {
    filter: brightness(0.9);
  }
  canvas {
    position: absolute;
    inset: 0;
    inline-size: 100%;
    block-size: 100%;
    visibility: hidden;
  }
  canvas.drawn {
    visibility: visible;
  }
  .glyph:has(.drawn) {
    color: transparent;
  }
  /* Each line starts at the row's start, even a name in the other writing direction. */
  .words {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    justify-items: start;
  }
  .path {
    display: grid;
    grid-auto-flow: column;
    /* If both are long, folder and name get half of the width each. */
    grid-auto-columns: minmax(auto, max-content);
    max-inline-size: 100%;
    white-space: pre;
  }
  .name {
    position: relative;
    display: flex;
    min-inline-size: 0;
  }
  [data-text]::before {
    content: attr(data-text);
  }
  .whole {
    position: absolute;
    inset: 0;
    overflow: hidden;
    forced-color-adjust: none;
    -webkit-text-fill-color: transparent;
  }
  .muted + .name {
    min-inline-size: 6em;
  }
  .head {
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .muted {
    color: var(--_muted);
  }
  .tail {
    flex: none;
  }
  .size {
    white-space: nowrap;
  }
  .size::after {
    content: ' ·';
  }
  .state {
    text-wrap: pretty;
  }
  .long .row .state {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  /* The percentage stays in view. */
  .long .row.active .size {
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .long .row.active .state {
    flex: none;
    max-inline-size: 100%;
  }
  /* All rows of a long list have the same height, except that the focused one shows its whole error. */
  .long .row.problem:focus-within {
    block-size: auto;
    padding-block: 8px;
  }
  .long .row.problem:focus-within .state {
    white-space: normal;
  }
  .status[tabindex] {
    outline: none;
  }
  .done .status svg {
    color: var(--_success);
  }
  progress {
    position: absolute;
    inset-inline: 0;
    inset-block-end: -1px;
    appearance: none;
    inline-size: 100%;
    block-size: 2px;
    border: 0;
    background: transparent;
    color: var(--_accent);
  }
  .list:not(.long) .row:last-child progress {
    inset-block-end: 0;
  }
  progress::-webkit-progress-bar {
    background: transparent;
  }
  /* No transition: updates come faster than it would end, and the page would be laid out in every frame of every upload. */
  progress::-webkit-progress-value {
    background: var(--_accent);
  }
  progress::-moz-progress-bar {
    background: var(--_accent);
  }
  progress:indeterminate {
    background: linear-gradient(var(--_accent), var(--_accent)) no-repeat 0 / 30% 100%;
    animation: progress-unknown 1.4s ease-in-out infinite alternate;
  }
  progress:indeterminate::-moz-progress-bar {
    background: transparent;
  }
  @keyframes progress-unknown {
    to {
      background-position-x: 100%;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    progress:indeterminate {
      animation: none;
      background-position-x: 50%;
    }
  }
  .quiet progress,
  .waiting progress {
    --_accent: var(--_edge);
  }
  @media (forced-colors: active) {
    progress::-webkit-progress-value {
      background: Highlight;
    }
    progress::-moz-progress-bar {
      background: Highlight;
    }
    progress:indeterminate {
      forced-color-adjust: none;
      background-image: linear-gradient(Highlight, Highlight);
    }
    .glyph {
      border: 1px solid;
    }
  }
  /* In print all rows are shown, with whole names and texts and without buttons. */
  @media print {
    .list {
      max-block-size: none;
      overflow: visible;
    }
    .list .row {
      block-size: auto;
      padding-block: 6px;
      break-inside: avoid;
    }
    .files .actions {
      display: none;
    }
    .list .path {
      display: block;
      white-space: pre-wrap;
      overflow-wrap: anywhere;
    }
    .list .path .muted {
      white-space: pre-wrap;
    }
    .list .name {
      display: inline;
    }
    .list .whole {
      position: static;
      -webkit-text-fill-color: currentColor;
    }
    .list [data-text] {
      display: none;
    }
    .list .state {
      overflow: visible;
      white-space: normal;
    }
  }
`;
