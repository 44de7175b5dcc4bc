import type { RunOptions } from '../transfer/run-options.js';
import type { Comparison } from './compare.js';

/** Options of `syncUp`, `syncDown` and `syncWithin`. */
export interface SyncOptions extends RunOptions {
  /** Method of the comparison. @default "times" */
  compare?: Comparison;
  /**
   * Deletes items of the target that the source does not have: at the end, and only if nothing failed.
   * Prefixes must then name folders: they end with a slash or are empty. @default false
   */
  delete?: boolean;
  /** Largest number of items that `delete` may delete. With more, nothing is deleted. @default unlimited, but 0 if the source has no file */
  maxDelete?: number;
  /** Returns whether a relative path takes part. Other paths are neither copied nor deleted. @default all paths */
  filter?: (path: string) => boolean;
  /** Paths that take part, in the order of keys. Called once for each pass. It does not filter a local source. @default all paths */
  paths?: () => Iterable<string>;
}
