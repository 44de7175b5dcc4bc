import { css } from 'lit';

/** Styles of `day-chart`. */
export const dayChartStyles = css`
  :host {
    display: block;
    min-inline-size: 0;
  }
  .panel {
    gap: 0.625rem;
    block-size: 100%;
    align-content: start;
  }
  .total {
    color: var(--muted);
  }
  .plot {
    border-radius: var(--radius-small);
  }
  svg {
    display: block;
    inline-size: 100%;
    block-size: auto;
    min-block-size: 170px;
    direction: ltr;
  }
  text {
    fill: var(--muted);
    font: 11px var(--font);
    font-variant-numeric: tabular-nums;
  }
  .grid {
    stroke: var(--line);
  }
  .series-0 {
    fill: var(--accent);
    stroke: var(--accent);
  }
  .series-1 {
    fill: var(--warning);
    stroke: var(--warning);
  }
  rect {
    stroke: none;
  }
  .area {
    fill-opacity: 0.16;
    stroke: none;
  }
  .line {
    fill: none;
    stroke-width: 2;
  }
  .day {
    fill: var(--pressed);
  }
  .legend {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 1rem;
    min-block-size: 1.5em;
    color: var(--muted);
    font-size: 0.8125rem;
    font-variant-numeric: tabular-nums;
  }
  .legend i {
    display: inline-block;
    inline-size: 0.625rem;
    block-size: 0.625rem;
    margin-inline-end: 0.375rem;
    border-radius: 2px;
    background: var(--accent);
  }
  .legend i.second {
    border-radius: 50%;
    background: var(--warning);
  }
  details {
    font-size: 0.8125rem;
  }
  summary {
    inline-size: max-content;
    color: var(--muted);
    cursor: pointer;
  }
  .scroll {
    max-block-size: 16rem;
    margin-block-start: 0.5rem;
    overflow: auto;
  }
  table {
    inline-size: 100%;
    border-collapse: collapse;
    font-variant-numeric: tabular-nums;
  }
  :is(th, td) {
    padding: 0.25rem 0.5rem;
    border-block-end: 1px solid var(--line);
    font-weight: 400;
    text-align: end;
  }
  :is(th, td):first-child {
    text-align: start;
  }
  thead th {
    position: sticky;
    inset-block-start: 0;
    background: var(--surface);
    color: var(--muted);
  }
  @media (pointer: coarse) {
    summary {
      padding-block: 0.5rem;
    }
  }
  @media (forced-colors: active) {
    .series-0 {
      fill: CanvasText;
      stroke: CanvasText;
      forced-color-adjust: none;
    }
    .series-1 {
      fill: Highlight;
      stroke: Highlight;
      forced-color-adjust: none;
    }
    .grid {
      stroke: GrayText;
    }
    text {
      fill: CanvasText;
    }
    .legend i {
      background: CanvasText;
      forced-color-adjust: none;
    }
    .legend i.second {
      background: Highlight;
    }
  }
`;
