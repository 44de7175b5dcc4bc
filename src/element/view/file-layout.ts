import type { CSSResult, TemplateResult } from 'lit';
import type { UploadItem } from '../../queue/types.js';
import { renderRow } from './row.js';
import type { RowContext, RowPosition } from './row.js';
import type { ListMeasures } from './visible-rows.js';

/** Arrangement of the files: one below the other, or in a grid. */
export interface FileLayout {
  /** Class of the list. */
  readonly className: string;
  /** The arrow keys to the left and right move the focus as well. */
  readonly hasColumns: boolean;
  /** Sizes in pixels and columns until the list is measured. */
  readonly estimate: Readonly<ListMeasures>;
  /** Rows rendered beyond each edge, so that scrolling and Tab find files there. */
  readonly margin: number;
  /** The element adds these styles to its own. */
  readonly styles: readonly CSSResult[];
  renderFile(item: UploadItem, place: RowPosition, context: RowContext): TemplateResult;
}

const ROW_HEIGHT = 57;

/** One file below the other. */
export const listLayout: FileLayout = {
  className: '',
  hasColumns: false,
  estimate: { height: 6.5 * ROW_HEIGHT, rowHeight: ROW_HEIGHT, columns: 1 },
  margin: 6,
  styles: [],
  renderFile: renderRow,
};
