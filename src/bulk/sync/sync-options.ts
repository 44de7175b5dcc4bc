import type { RunOptions } from '../transfer/run-options.js';
import type { Comparison } from './compare.js';

/** Options of `syncUp`, `syncDown` and `syncWithin`. */
export interface SyncOptions extends RunOptions {
  /** How files are compared. @default "times" */
  compare?: Comparison;
  /**
   * Deletes from the target what the source does not have: at the end, and only when nothing failed.
   * Prefixes must name folders then: they end in a slash or are empty. @default false
   */
  delete?: boolean;
  /** Most items that `delete` may delete. With more, nothing is deleted. @default unlimited, unless the source has no file */
  maxDelete?: number;
  /** Returns whether a relative path takes part. Other paths are neither copied nor deleted. @default all paths */
  filter?: (path: string) => boolean;
  /** Paths that take part, in the order of keys. Called once for each pass. A local source is used as it is. @default all paths */
  paths?: () => Iterable<string>;
}
