import { deleteBucket } from '../s3/commands/delete-bucket.js';
import { toS3Error } from '../errors.js';
import type { Store } from '../s3/object-store.js';
import { questions } from '../transfer/run.js';
import type { RunOptions } from '../transfer/run.js';

/** Removes a bucket that is empty. @throws S3Error `BucketNotEmpty`, `NoSuchBucket` */
export async function removeBucket(store: Store, bucket: string, options: RunOptions = {}): Promise<void> {
  const run = questions(store, options);
  let tries = 0;
  await run.request(bucket, 0, async () => {
    tries++;
    await deleteBucket(store, { bucket, signal: run.signal }).catch((thrown: unknown) => {
      const error = toS3Error(thrown);
      if (error.code !== 'NoSuchBucket') throw error;
      // An earlier try, whose answer was lost, did it.
      if (tries > 1) return;
      error.advice = 'Check its name and the address.';
      throw error;
    });
  });
}
