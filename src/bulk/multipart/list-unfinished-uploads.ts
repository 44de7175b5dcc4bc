import { paginationGuard } from '../list/list-objects.js';
import { listUploads } from '../s3/commands/list-uploads.js';
import type { UploadEntry, UploadsAfter } from '../s3/commands/list-uploads.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { Place } from '../types.js';

/** Lists the unfinished uploads below a prefix. @throws S3Error `ListingBroken` if the listing does not advance */
export async function* listUnfinishedUploads(context: TransferContext, { bucket, prefix }: Place): AsyncGenerator<UploadEntry> {
  const requireProgress = paginationGuard();
  let after: UploadsAfter | undefined;
  do {
    const list = { bucket, prefix, ...(after && { after }), signal: context.signal };
    const page = await context.executor.request(prefix, 0, () => listUploads(context.store, list));
    yield* page.uploads;
    after = page.after;
    requireProgress(after && { token: `${after.key}\n${after.uploadId}` }, page.uploads.length);
  } while (after !== undefined);
}
