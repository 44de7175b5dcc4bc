/** Lists with at most this many files are rendered completely. */
export const MAX_UNWINDOWED_ROWS = 50;

/** Counts the columns of a grid of files. A list of rows has one. */
export const countColumns = (list: Element): number => getComputedStyle(list).gridTemplateColumns.split(' ').length;

/** Sizes in pixels, and the number of columns. */
export interface ListMeasures {
  /** Height of the visible part of the list. */
  height: number;
  /** Height of a row with the gap below it. */
  rowHeight: number;
  columns: number;
}

/** The files of a long list that are in the document. */
export interface VisibleRange {
  start: number;
  end: number;
  /** Height in pixels of the rows that are not rendered. */
  before: number;
  after: number;
}

/**
 * Computes which files of a long list are in the document.
 *
 * @param margin rows rendered beyond each edge
 */
export function visibleRows(
  count: number,
  scrollTop: number,
  { height, rowHeight, columns }: Readonly<ListMeasures>,
  margin: number,
): VisibleRange {
  if (count <= MAX_UNWINDOWED_ROWS) return { start: 0, end: count, before: 0, after: 0 };
  const rows = Math.ceil(count / columns);
  const visible = Math.ceil(height / rowHeight) + 1;
  const first = Math.min(Math.floor(scrollTop / rowHeight), Math.max(0, rows - visible));
  const startRow = Math.max(0, first - margin);
  const endRow = Math.min(rows, first + visible + margin);
  return {
    start: startRow * columns,
    end: Math.min(count, endRow * columns),
    before: startRow * rowHeight,
    after: (rows - endRow) * rowHeight,
  };
}
