import { css, unsafeCSS } from 'lit';
import { KIND_COLORS } from './file-kinds.js';

const kindRules = Object.entries(KIND_COLORS).map(([kind, color]) => `.kind-${kind} { background-color: ${color}; }`);

/** The tiles: a square thumbnail with the actions on it, a thin progress bar, the name and the status. */
export const gridStyles = css`
  .list.grid {
    --_list: var(--svc-uploader-list-height, max(33rem, 528px));
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(9.25rem, 100%), 1fr));
    align-content: start;
    gap: 16px 12px;
    padding-inline: 16px;
    scroll-padding-block: 16px;
  }
  .grid:has(.fields) {
    grid-template-columns: repeat(auto-fill, minmax(min(14rem, 100%), 1fr));
  }
  /* With the gap beside them, these rows are the space above and below the tiles as well. */
  .grid::before,
  .grid::after {
    grid-column: 1 / -1;
  }
  .tile {
    position: relative;
    display: grid;
    grid-template: auto 3px auto auto 1fr / minmax(0, 1fr);
    row-gap: 4px;
    contain: layout style;
    min-inline-size: 0;
    border-radius: var(--_radius);
    outline-offset: 2px;
  }
  .tile:focus-visible {
    outline: 2px solid var(--_accent);
  }
  .picture {
    position: relative;
    display: grid;
    place-items: center;
    inline-size: 100%;
    aspect-ratio: 1;
    border-radius: var(--_radius);
    background: var(--_fill);
    overflow: hidden;
  }
  .picture canvas {
    object-fit: cover;
    opacity: 1;
    transition:
      opacity var(--_quick),
      filter var(--_quick);
  }
  /* Pale until the file is stored. */
  .tile:is(.quiet, .waiting, .active, .problem) canvas {
    opacity: 0.6;
  }
  .drawn ~ .paper {
    visibility: hidden;
  }
  /* A sheet of paper with a folded corner. */
  .paper {
    position: relative;
    display: grid;
    place-items: center;
    inline-size: min(40%, 72px);
    aspect-ratio: 4 / 5;
    padding-block-start: 18%;
    border-radius: 6px;
    clip-path: polygon(0 0, 70% 0, 100% 24%, 100% 100%, 0 100%);
    color: #fff;
    font-size: 0.8125rem;
    font-weight: 600;
    letter-spacing: 0.03em;
  }
  .paper::before {
    content: '';
    position: absolute;
    inset-block-start: 0;
    inset-inline-end: 0;
    inline-size: 30%;
    block-size: 24%;
    border-end-start-radius: 4px;
    background: rgb(255 255 255 / 0.4);
  }
  ${unsafeCSS(kindRules.join(''))}
  .tile progress {
    position: static;
    grid-row: 2;
    block-size: 3px;
    border-radius: 3px;
    background: var(--_fill-active);
    overflow: hidden;
  }
  /* Blocks, because a grid within a grid lays out its texts several times. */
  .tile .words {
    display: block;
    grid-row: 3;
    padding-inline: 2px;
  }
  /* The folder is in the tooltip. */
  .tile .path .muted {
    display: none;
  }
  .tile .path {
    display: block;
    inline-size: fit-content;
    font-weight: 500;
  }
  /* Most texts need two lines at most. */
  .tile .status {
    display: block;
    min-block-size: 2rem;
    overflow-wrap: anywhere;
  }
  .tile .status svg {
    display: inline-block;
    margin-inline: -2px -1px;
    vertical-align: -0.25em;
  }
  .tile .state {
    overflow: visible;
    white-space: normal;
  }
  .tile .fields {
    grid-area: 4 / 1;
  }
  .tile .actions {
    position: absolute;
    inset-block-start: 6px;
    inset-inline: 6px;
    flex-wrap: wrap;
    justify-content: end;
    gap: 4px;
  }
  /* Dark on any picture. */
  .tile .actions button {
    border-radius: 22px;
    background: rgb(0 0 0 / 0.64);
    color: #fff;
  }
  .tile .actions button:hover {
    background: rgb(0 0 0 / 0.8);
  }
  .tile .actions button:focus-visible {
    outline: 2px solid #fff;
    outline-offset: -3px;
  }
  .tile .actions button[aria-pressed='true'] {
    background: #fff;
    color: #000;
  }
  .tile[data-lifted] .picture {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
  }
  /* Above the thumbnail. */
  .tile.problem .picture::after {
    content: '';
    position: absolute;
    inset: 0;
    border: 2px solid var(--_danger);
    border-radius: inherit;
  }
  /* All tiles of a long list have the same height, except that the focused one shows its whole error. */
  .long .tile:not(:focus-within) .status {
    display: -webkit-box;
    block-size: 2rem;
    overflow: hidden;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: 2;
  }
  @media (forced-colors: active) {
    .picture,
    .paper,
    .tile .actions button {
      border: 1px solid;
    }
    .tile progress {
      border: 1px solid;
      block-size: 5px;
    }
    .tile.problem .picture::after {
      border-style: double;
      border-width: 4px;
    }
  }
  @media print {
    .list.grid .tile {
      block-size: auto;
      break-inside: avoid;
    }
  }
`;
