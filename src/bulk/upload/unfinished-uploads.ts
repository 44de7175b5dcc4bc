import { createQueryContext } from '../transfer/transfer-context.js';
import { runTransfer } from '../transfer/run-transfer.js';
import type { RunOptions } from '../transfer/run-options.js';
import type { UploadEntry } from '../s3/commands/list-uploads.js';
import type { Store } from '../s3/object-store.js';
import type { Place, Summary } from '../types.js';
import { abortUpload } from '../multipart/abort-upload.js';
import { listUnfinishedUploads } from '../multipart/list-unfinished-uploads.js';

/** Options of `BulkTransfer.endUnfinished`. */
export interface EndUnfinishedOptions extends RunOptions {
  /** Aborts only uploads for which it returns true. Others may still be running. @default all uploads */
  filter?: (upload: UploadEntry) => boolean;
}

/** Lists the multipart uploads below a prefix that are neither completed nor aborted. The store keeps and bills their parts. */
export const listUnfinished = (store: Store, place: Place, options: RunOptions = {}): AsyncGenerator<UploadEntry> =>
  listUnfinishedUploads(createQueryContext(store, options), place);

/** Aborts unfinished multipart uploads below a prefix. */
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
