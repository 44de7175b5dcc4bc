import { createQueryContext } from '../transfer/transfer-context.js';
import type { RunOptions } from '../transfer/run-options.js';
import { deleteBucket } from '../s3/commands/delete-bucket.js';
import { toS3Error } from '../errors.js';
import type { Store } from '../s3/object-store.js';

/** Removes an empty bucket. @throws S3Error `BucketNotEmpty`, `NoSuchBucket` */
export async function removeBucket(store: Store, bucket: string, options: RunOptions = {}): Promise<void> {
  const context = createQueryContext(store, options);
  let attempts = 0;
  await context.executor.request(bucket, 0, async () => {
    attempts++;
    await deleteBucket(store, { bucket, signal: context.signal }).catch((thrown: unknown) => {
      const error = toS3Error(thrown);
      if (error.code !== 'NoSuchBucket') throw error;
      // An earlier attempt whose response was lost has removed it.
      if (attempts > 1) return;
      error.advice = 'Check its name and the address.';
      throw error;
    });
  });
}
