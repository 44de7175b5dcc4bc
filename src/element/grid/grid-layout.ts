import type { FileLayout } from '../view/file-layout.js';
import { gridStyles } from './grid-styles.js';
import { renderTile } from './tile.js';

/** Files as tiles with large thumbnails. Pages load this module with the first file of an element with `appearance="grid"`. */
export const gridLayout: FileLayout = {
  className: 'grid',
  hasColumns: true,
  estimate: { height: 560, rowHeight: 240, columns: 4 },
  margin: 1,
  styles: [gridStyles],
  renderFile: renderTile,
};
