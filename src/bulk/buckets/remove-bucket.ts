import { createQueryContext } from '../transfer/transfer-context.js';
import type { RunOptions } from '../transfer/run-options.js';
import { deleteBucket } from '../s3/commands/delete-bucket.js';
import { toS3Error } from '../errors.js';
import type { Store } from '../s3/object-store.js';

/** Removes a bucket that is empty. @throws S3Error `BucketNotEmpty`, `NoSuchBucket` */
export async function removeBucket(store: Store, bucket: string, options: RunOptions = {}): Promise<void> {
  const context = createQueryContext(store, options);
  let tries = 0;
  await context.executor.request(bucket, 0, async () => {
    tries++;
    await deleteBucket(store, { bucket, signal: context.signal }).catch((thrown: unknown) => {
      const error = toS3Error(thrown);
      if (error.code !== 'NoSuchBucket') throw error;
      // An earlier try, whose answer was lost, did it.
      if (tries > 1) return;
      error.advice = 'Check its name and the address.';
      throw error;
    });
  });
}
