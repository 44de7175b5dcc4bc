import { css } from 'lit';
import { badge } from '../styles/badge.js';

/** Styles of `tile-grid`, and of the tiles that sections render into it. */
export const tileStyles = css`
  ${badge}
  :host {
    display: block;
    /* Lines are reused while it scrolls. Anchored to one of them, the browser would scroll on by itself. */
    overflow-anchor: none;
  }
  .line {
    display: grid;
    grid-template-columns: repeat(var(--per-line), minmax(0, 1fr));
    gap: 0.75rem;
    padding-block-end: 0.75rem;
  }
  .tile {
    position: relative;
    display: grid;
    grid-template-rows: 9rem 1fr;
    block-size: 13rem;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--surface);
    overflow: hidden;
    /* A change in a tile lays out this tile only. */
    contain: strict;
  }
  .tile:hover {
    border-color: var(--field-line);
  }
  .tile[aria-selected='true'] {
    border-color: var(--accent);
    background: var(--accent-soft);
    box-shadow: inset 0 0 0 1px var(--accent);
  }
  .tile:focus-visible {
    outline-offset: 1px;
  }
  .thumb {
    position: relative;
    display: grid;
    place-items: center;
    min-block-size: 0;
    border-block-end: 1px solid var(--line);
    background: var(--page);
    color: var(--muted);
    overflow: hidden;
  }
  .loading .thumb {
    background: var(--hover);
  }
  .thumb svg {
    inline-size: 2.5rem;
    block-size: 2.5rem;
    stroke-width: 1.25;
  }
  .thumb img {
    position: absolute;
    inset: 0;
    inline-size: 100%;
    block-size: 100%;
    object-fit: cover;
    background: var(--page);
  }
  .caption {
    display: grid;
    align-content: center;
    min-inline-size: 0;
    padding-inline: 0.625rem 2.25rem;
    color: var(--muted);
    font-size: 0.8125rem;
  }
  .caption > * {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .name {
    display: block;
    min-inline-size: 0;
    min-block-size: 0;
    padding: 0;
    border: 0;
    background: none;
    color: var(--text);
    font: inherit;
    font-size: 0.875rem;
    font-weight: 500;
    text-align: start;
    text-decoration: none;
  }
  .name:is(:hover, :active) {
    background: none;
    text-decoration: underline;
  }
  /* A click on the picture opens the file, too. */
  .name::after {
    position: absolute;
    inset: 0 0 auto;
    block-size: 9rem;
    content: '';
  }
  .check {
    position: absolute;
    inset-block-start: 0;
    inset-inline-start: 0;
    padding: 0.5rem;
  }
  .check input {
    display: block;
    inline-size: 1.125rem;
    block-size: 1.125rem;
    /* The box stays visible on a picture of its color. */
    border-radius: 0.25rem;
    box-shadow: 0 0 0 2px var(--surface);
  }
  @media (hover: hover) {
    .tile:not(:hover, :focus-within, [aria-selected='true']) .check {
      opacity: 0;
    }
  }
  .tile .menu {
    position: absolute;
    inset-block-end: 0.5rem;
    inset-inline-end: 0.125rem;
  }
  .badge {
    position: absolute;
    inset-block-start: 0.5rem;
    inset-inline-end: 0.5rem;
    pointer-events: none;
  }
  @media (pointer: coarse) {
    .check {
      padding: 0.75rem;
    }
    .tile .menu {
      inset-block-end: 0.25rem;
    }
  }
  @media (forced-colors: active) {
    .tile[aria-selected='true'] {
      outline: 2px solid Highlight;
      outline-offset: -2px;
    }
    .badge {
      border: 1px solid;
    }
  }
`;
