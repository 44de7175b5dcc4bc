import { headObject } from '../s3/commands/head-object.js';
import type { ObjectFacts } from '../s3/commands/head-object.js';
import { toS3Error } from '../errors.js';
import { parseMtime, sameTime } from '../s3/file-metadata.js';
import type { Run } from '../transfer/run.js';

/** What stands at a key, tried as every request of a run is. @returns undefined when there is nothing. */
export const factsAt = (run: Run, bucket: string, key: string): Promise<ObjectFacts | undefined> =>
  run.request(key, 0, () => headObject(run.store, { bucket, key, signal: run.signal }));

/**
 * Whether a question was refused, and not the key that asked: one that may write may not read, and not every store lists parts. A key
 * that is wrong is told of by other codes, and knows nothing.
 */
export function isUntold(error: unknown): boolean {
  const { status, code } = toS3Error(error);
  return code === 'AccessDenied' || status === 405 || status === 501;
}

/** For `catch`, of a question whose answer saves work and is not needed. */
export function unlessUntold(error: unknown): undefined {
  if (!isUntold(error)) throw error;
}

/**
 * Asked before much is sent in vain, or where a store may not mind a condition; what comes to be there meanwhile is still noticed at the
 * end. A key that may not know what is missing goes on: then the condition decides.
 */
export const isThere = async (run: Run, bucket: string, key: string): Promise<boolean> =>
  (await factsAt(run, bucket, key).catch(unlessUntold)) !== undefined;

const SECOND = 1_000_000_000n;

/**
 * Whether object and file are of one time: by that kept with the object, else by the object being no older than the file it
 * would have been made of; or, `down`, by being of the very time that a download gives its file.
 */
export function isOfTime(facts: ObjectFacts, mtimeNs: bigint, down = false): boolean {
  const kept = parseMtime(facts.metadata['mtime']);
  if (kept !== undefined) return sameTime(kept, mtimeNs);
  const youngerNs = BigInt(facts.lastModifiedMs) * 1_000_000n - mtimeNs;
  return youngerNs >= -SECOND && (!down || youngerNs <= SECOND);
}
