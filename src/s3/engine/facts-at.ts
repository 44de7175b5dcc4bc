import { headObject } from '../commands/head-object.js';
import type { ObjectFacts } from '../commands/head-object.js';
import { toS3Error } from '../errors.js';
import type { Run } from './run.js';

/** What stands at a key, tried as every request of a run is. @returns undefined when there is nothing. */
export const factsAt = (run: Run, bucket: string, key: string): Promise<ObjectFacts | undefined> =>
  run.request(key, 0, () => headObject(run.store, { bucket, key, signal: run.signal }));

/**
 * For `catch`, of a question whose answer saves work and is not needed: a key that may write may not read, and not every store
 * lists parts. A key that is wrong is told of by other codes, and knows nothing.
 */
export function unlessUntold(error: unknown): undefined {
  const { status, code } = toS3Error(error);
  if (code !== 'AccessDenied' && status !== 405 && status !== 501) throw error;
}
