import { createQueryContext } from '../transfer/transfer-context.js';
import { runTransfer } from '../transfer/run-transfer.js';
import type { RunOptions } from '../transfer/run-options.js';
import type { UploadEntry } from '../s3/commands/multipart.js';
import type { Store } from '../s3/object-store.js';
import type { Place, Summary } from '../types.js';
import { abortUpload } from '../multipart/abort-upload.js';
import { listUnfinishedUploads } from '../multipart/list-unfinished-uploads.js';

export interface EndUnfinishedOptions extends RunOptions {
  /** Only uploads for which it says true; others may still be under way. */
  filter?: (upload: UploadEntry) => boolean;
}

/** Uploads in parts that somebody began and nobody ended, under a prefix: their parts are kept, and billed. */
export const listUnfinished = (store: Store, place: Place, options: RunOptions = {}): AsyncGenerator<UploadEntry> =>
  listUnfinishedUploads(createQueryContext(store, options), place);

/** Ends them. */
export function abortUnfinished(store: Store, place: Place, options: EndUnfinishedOptions = {}): Promise<Summary> {
  return runTransfer(store, options, async (context) => {
    const end = async (upload: UploadEntry): Promise<void> => {
      if (options.filter?.(upload) === false) return;
      if (!context.dryRun) await abortUpload(context, { bucket: place.bucket, ...upload });
      context.report.done('delete', upload.key, 0);
    };
    await context.workers.forEach('delete', listUnfinishedUploads(context, place), ({ key }) => key, end);
  });
}
