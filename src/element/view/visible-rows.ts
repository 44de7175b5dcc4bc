/** Lists with at most this many rows are rendered completely. */
export const MAX_UNWINDOWED_ROWS = 50;
/** Rows rendered beyond each edge, so that scrolling and Tab find rows there. */
const MARGIN = 6;

export interface RowRange {
  start: number;
  end: number;
  /** Height in pixels of the rows that are not rendered. */
  before: number;
  after: number;
}

/** Computes which rows of a long list are in the document. */
export function visibleRows(count: number, scrollTop: number, height: number, rowHeight: number): RowRange {
  if (count <= MAX_UNWINDOWED_ROWS) return { start: 0, end: count, before: 0, after: 0 };
  const visible = Math.ceil(height / rowHeight) + 1;
  const first = Math.min(Math.floor(scrollTop / rowHeight), Math.max(0, count - visible));
  const start = Math.max(0, first - MARGIN);
  const end = Math.min(count, first + visible + MARGIN);
  return { start, end, before: start * rowHeight, after: (count - end) * rowHeight };
}
