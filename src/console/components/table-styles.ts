import { css } from 'lit';
import { badge } from '../styles/badge.js';

/** Styles of `data-table`, and of the cells that sections render into it. */
export const tableStyles = css`
  :host {
    display: block;
    /* Rows are reused while it scrolls. Anchored to one of them, the browser would scroll on by itself. */
    overflow-anchor: none;
  }
  table {
    inline-size: 100%;
    table-layout: fixed;
    border-collapse: separate;
    border-spacing: 0;
  }
  thead th {
    position: sticky;
    inset-block-start: var(--table-top, 0);
    z-index: 1;
    block-size: 2.25rem;
    padding: 0 0.5rem;
    border-block-end: 1px solid var(--line);
    background: var(--page);
    color: var(--muted);
    font-size: 0.8125rem;
    font-weight: 500;
    text-align: start;
  }
  .sort {
    min-block-size: 1.75rem;
    margin-inline: -0.375rem;
    padding-inline: 0.375rem;
    color: inherit;
    font-size: inherit;
  }
  .sort svg {
    inline-size: 0.875rem;
    block-size: 0.875rem;
    visibility: hidden;
  }
  .sort:is(.asc, .desc) {
    color: var(--text);
  }
  .sort:is(:hover, :focus-visible, .asc, .desc) svg {
    visibility: visible;
  }
  .sort.asc svg {
    transform: rotate(180deg);
  }
  /* The titles of numbers end where the numbers end. */
  .number .sort {
    flex-direction: row-reverse;
  }
  td {
    block-size: var(--row-height);
    padding: 0 0.5rem;
    border-block-end: 1px solid var(--line);
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .spacer td {
    padding: 0;
    border: 0;
  }
  tbody tr[data-index]:hover td {
    background: var(--hover);
  }
  tbody tr[aria-selected='true'][data-index] td {
    background: var(--accent-soft);
  }
  tbody tr:focus-visible {
    outline-offset: -2px;
  }
  .number {
    text-align: end;
    font-variant-numeric: tabular-nums;
  }
  .check {
    inline-size: 2.25rem;
    padding-inline: 0.625rem 0;
    overflow: visible;
  }
  .check input {
    display: block;
  }
  .menu {
    inline-size: 3rem;
    text-align: end;
    overflow: visible;
  }
  .main {
    display: flex;
    align-items: center;
    gap: 0.625rem;
    min-inline-size: 0;
  }
  .main > svg {
    color: var(--muted);
  }
  .main > :is(a, button, span) {
    min-inline-size: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    color: var(--text);
    font-weight: 500;
    text-decoration: none;
  }
  .main > .badge {
    flex: none;
  }
  .main > a:hover {
    text-decoration: underline;
  }
  .main > a:focus-visible {
    outline-offset: -2px;
  }
  button.link {
    display: block;
    min-block-size: 0;
    padding: 0;
    border: 0;
    background: none;
    text-align: start;
  }
  button.link:hover {
    text-decoration: underline;
  }
  ${badge}
  .stacked {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    line-height: 1.35;
  }
  .stacked > * {
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .stacked > a {
    color: var(--text);
    text-decoration: none;
  }
  .stacked > a:hover {
    text-decoration: underline;
  }
  .stacked small {
    color: var(--muted);
    font-size: 0.75rem;
    font-weight: 400;
  }
  .narrow .main .stacked small {
    display: none;
  }
  td {
    color: var(--muted);
  }
  .main:has(> svg) + .secondary {
    padding-inline-start: 1.75rem;
  }
  .secondary {
    display: block;
    overflow: hidden;
    text-overflow: ellipsis;
    font-size: 0.8125rem;
  }
  .narrow .main {
    line-height: 1.4;
  }
  @media (pointer: coarse) {
    .check {
      inline-size: 2.75rem;
    }
    .check input {
      inline-size: 1.25rem;
      block-size: 1.25rem;
    }
    .menu {
      inline-size: 3.5rem;
    }
    .sort {
      min-block-size: 2.25rem;
    }
  }
  @media (max-height: 24rem) {
    thead th {
      position: static;
    }
  }
`;
