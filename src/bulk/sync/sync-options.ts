import type { CopySettings } from '../copy/copy-settings.js';
import type { DownloadSettings } from '../download/download-settings.js';
import type { RunOptions } from '../transfer/run-options.js';
import type { UploadSettings } from '../upload/upload-settings.js';
import type { UploadOptions } from '../upload/upload.js';
import type { Comparison } from './compare.js';

/** Options that `syncUp`, `syncDown` and `syncWithin` have in common. */
export interface SyncOptions extends RunOptions {
  /** Method of the comparison. @default "times" */
  compare?: Comparison;
  /**
   * Deletes items of the target that the source does not have: at the end, and only if nothing failed.
   * Prefixes must then name folders: they end with a slash or are empty. @default false
   */
  delete?: boolean;
  /** Largest number of items that `delete` may delete, from 0. With more, nothing is deleted. @default unlimited, but 0 if the source has no file */
  maxDelete?: number;
  /** Returns whether a relative path takes part. Other paths are neither copied nor deleted. @default all paths */
  filter?: (path: string) => boolean;
  /** Paths that take part, in the order of keys. Called once for each pass. It does not filter a local source. @default all paths */
  paths?: () => Iterable<string>;
}

/** Options of `BulkTransfer.syncUp`: those of a sync, and those of the objects that it creates. */
export interface SyncUpOptions extends SyncOptions, Partial<Omit<UploadSettings, 'bucket'>>, Pick<UploadOptions, 'survey'> {}

/** Options of `BulkTransfer.syncDown`: those of a sync, and those of the files that it writes. */
export interface SyncDownOptions extends SyncOptions, Partial<Omit<DownloadSettings, 'bucket' | 'target'>> {}

/** Options of `BulkTransfer.syncWithin`: those of a sync, and those of its copies. */
export interface SyncWithinOptions extends SyncOptions, CopySettings {}
