import type { TransferContext } from '../transfer/transfer-context.js';
import { headObjectOnce } from '../s3/commands/head-object.js';
import type { ObjectHead } from '../s3/commands/head-object.js';
import { ignoreForbidden } from '../error-kinds.js';
import { parseMtime, sameTime } from '../s3/file-metadata.js';

/** Requests the properties of one object, with the transfer's retries. @returns undefined when there is no object */
export const headObject = (context: TransferContext, bucket: string, key: string): Promise<ObjectHead | undefined> =>
  context.executor.request(key, 0, () => headObjectOnce(context.store, { bucket, key, signal: context.signal }));

/**
 * Asked before much is sent in vain, or where a store may not mind a condition; what comes to be there meanwhile is still noticed at the
 * end. A key that may not know what is missing goes on: then the condition decides.
 */
export const objectExists = async (context: TransferContext, bucket: string, key: string): Promise<boolean> =>
  (await headObject(context, bucket, key).catch(ignoreForbidden)) !== undefined;

const SECOND = 1_000_000_000n;

/**
 * Whether object and file are of one time: by that kept with the object, else by the object being no older than the file it
 * would have been made of; or, `down`, by being of the very time that a download gives its file.
 */
export function hasSameTime(facts: ObjectHead, mtimeNs: bigint, down = false): boolean {
  const kept = parseMtime(facts.metadata['mtime']);
  if (kept !== undefined) return sameTime(kept, mtimeNs);
  const youngerNs = BigInt(facts.lastModifiedMs) * 1_000_000n - mtimeNs;
  return youngerNs >= -SECOND && (!down || youngerNs <= SECOND);
}
