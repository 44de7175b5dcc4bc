/** Lists of at most this many rows are drawn whole. */
export const MAX_UNWINDOWED_ROWS = 50;
/** Rows drawn beyond each edge, so that scrolling and tabbing find something there. */
const MARGIN = 6;

export interface RowRange {
  start: number;
  end: number;
  /** Pixels that stand for the rows before and after. */
  before: number;
  after: number;
}

/** Which rows of a long list are in the document. */
export function visibleRows(count: number, scrollTop: number, height: number, rowHeight: number): RowRange {
  if (count <= MAX_UNWINDOWED_ROWS) return { start: 0, end: count, before: 0, after: 0 };
  const visible = Math.ceil(height / rowHeight) + 1;
  const first = Math.min(Math.floor(scrollTop / rowHeight), Math.max(0, count - visible));
  const start = Math.max(0, first - MARGIN);
  const end = Math.min(count, first + visible + MARGIN);
  return { start, end, before: start * rowHeight, after: (count - end) * rowHeight };
}
