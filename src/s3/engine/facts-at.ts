import { headObject } from '../commands/head-object.js';
import type { ObjectFacts } from '../commands/head-object.js';
import { toS3Error } from '../errors.js';
import type { Run } from './run.js';

/** What stands at a key, tried as every request of a run is. @returns undefined when there is nothing. */
export const factsAt = (run: Run, bucket: string, key: string): Promise<ObjectFacts | undefined> =>
  run.request(key, 0, () => headObject(run.store, { bucket, key, signal: run.signal }));

/**
 * For `catch`, of a question whose answer saves work and is not needed: a key that may write may not read, and not every store
 * lists parts.
 */
export function unlessUntold(error: unknown): undefined {
  if (![403, 405, 501].includes(toS3Error(error).status)) throw error;
}
