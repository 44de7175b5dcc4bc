import { createQueryContext } from '../transfer/transfer-context.js';
import type { RunOptions } from '../transfer/run-options.js';
import { createBucket } from '../s3/commands/create-bucket.js';
import { toS3Error } from '../errors.js';
import type { Store } from '../s3/object-store.js';

/** Region of buckets that are created without a region. CreateBucket does not accept its name. */
const DEFAULT_REGION = 'us-east-1';

/**
 * Creates a bucket in the region of the store.
 * @returns false if the store reports that the bucket exists and is yours
 * @see `BulkTransfer.makeBucket`
 */
export async function makeBucket(store: Store, bucket: string, options: RunOptions = {}): Promise<boolean> {
  const context = createQueryContext(store, options);
  let attempts = 0;
  const create = (region?: string): Promise<void> =>
    context.executor.request(bucket, 0, () => {
      attempts++;
      return createBucket(store, { bucket, region, signal: context.signal });
    });
  const codeOf = (error: unknown): string => toS3Error(error).code;
  try {
    const region = store.region === DEFAULT_REGION ? undefined : store.region;
    // A store with one location may not know it by the region that requests are signed for.
    await create(region).catch((error: unknown) => {
      if (region === undefined || codeOf(error) !== 'InvalidLocationConstraint') throw error;
      attempts = 0;
      return create().catch((second: unknown) => {
        throw codeOf(second).includes('LocationConstraint') ? error : second;
      });
    });
    return true;
  } catch (error) {
    if (codeOf(error) !== 'BucketAlreadyOwnedByYou') throw error;
    // An earlier attempt whose response was lost may have created it.
    return attempts > 1;
  }
}
