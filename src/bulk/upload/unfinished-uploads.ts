import type { UploadEntry } from '../s3/commands/multipart.js';
import type { Store } from '../s3/object-store.js';
import type { Place, Summary } from '../types.js';
import { endUpload, unfinishedUploads } from '../transfer/multipart-session.js';
import { questions, withRun } from '../transfer/run.js';
import type { RunOptions } from '../transfer/run.js';

export interface EndUnfinishedOptions extends RunOptions {
  /** Only uploads for which it says true; others may still be under way. */
  filter?: (upload: UploadEntry) => boolean;
}

/** Uploads in parts that somebody began and nobody ended, under a prefix: their parts are kept, and billed. */
export const unfinished = (store: Store, place: Place, options: RunOptions = {}): AsyncGenerator<UploadEntry> =>
  unfinishedUploads(questions(store, options), place);

/** Ends them. */
export function endUnfinished(store: Store, place: Place, options: EndUnfinishedOptions = {}): Promise<Summary> {
  return withRun(store, options, async (run) => {
    const end = async (upload: UploadEntry): Promise<void> => {
      if (options.filter?.(upload) === false) return;
      if (!run.dryRun) await endUpload(run, { bucket: place.bucket, ...upload });
      run.done('delete', upload.key, 0);
    };
    await run.pump('delete', unfinishedUploads(run, place), ({ key }) => key, end);
  });
}
