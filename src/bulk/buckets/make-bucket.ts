import { createQueryContext } from '../transfer/transfer-context.js';
import type { RunOptions } from '../transfer/run-options.js';
import { createBucket } from '../s3/commands/create-bucket.js';
import { toS3Error } from '../errors.js';
import type { Store } from '../s3/object-store.js';

/** The only region whose name CreateBucket does not take: it is where buckets lie of which no region is said. */
const FIRST_REGION = 'us-east-1';

/** See `BulkTransfer.makeBucket`. */
export async function makeBucket(store: Store, bucket: string, options: RunOptions = {}): Promise<boolean> {
  const context = createQueryContext(store, options);
  let tries = 0;
  const make = (region?: string): Promise<void> =>
    context.executor.request(bucket, 0, () => {
      tries++;
      return createBucket(store, { bucket, region, signal: context.signal });
    });
  const codeOf = (error: unknown): string => toS3Error(error).code;
  try {
    const region = store.region === FIRST_REGION ? undefined : store.region;
    // A store that knows one place alone may not know it by the region that requests are signed for.
    await make(region).catch((error: unknown) => {
      if (region === undefined || codeOf(error) !== 'InvalidLocationConstraint') throw error;
      tries = 0;
      return make().catch((second: unknown) => {
        throw codeOf(second).includes('LocationConstraint') ? error : second;
      });
    });
    return true;
  } catch (error) {
    if (codeOf(error) !== 'BucketAlreadyOwnedByYou') throw error;
    // A try whose answer was lost may have made it.
    return tries > 1;
  }
}
