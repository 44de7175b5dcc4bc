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

/**
 * Asked before much is sent in vain, or where a store may not mind a condition; what comes to be there meanwhile is still noticed at the
 * end. A key that may not know what is missing goes on: then the condition decides.
 */
export const isThere = async (run: Run, bucket: string, key: string): Promise<boolean> =>
  (await factsAt(run, bucket, key).catch(unlessUntold)) !== undefined;
