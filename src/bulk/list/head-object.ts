import type { TransferContext } from '../transfer/transfer-context.js';
import { headObjectOnce } from '../s3/commands/head-object.js';
import type { ObjectHead } from '../s3/commands/head-object.js';
import { ignoreForbidden } from '../error-kinds.js';
import { parseMtime, sameTime } from '../s3/file-metadata.js';

/** Requests the properties of one object, with the transfer's retries. @returns undefined if there is no object */
export const headObject = (context: TransferContext, bucket: string, key: string): Promise<ObjectHead | undefined> =>
  context.executor.request(key, 0, () => headObjectOnce(context.store, { bucket, key, signal: context.signal }));

/**
 * Returns whether an object exists, as far as the credentials may know. Saves sending a body that the store would refuse, and works with
 * stores that ignore conditions. An object that is created later is noticed by the condition of the request.
 */
export const objectExists = async (context: TransferContext, bucket: string, key: string): Promise<boolean> =>
  (await headObject(context, bucket, key).catch(ignoreForbidden)) !== undefined;

const SECOND_NS = 1_000_000_000n;

/**
 * Returns whether an object and a file have the same time. If the object has no time of its file in its metadata, it must not be older
 * than the file.
 * @param isDownload the file was downloaded, so its time must also not be older than the object
 */
export function hasSameTime(head: ObjectHead, mtimeNs: bigint, isDownload = false): boolean {
  const storedTime = parseMtime(head.metadata['mtime']);
  if (storedTime !== undefined) return sameTime(storedTime, mtimeNs);
  const youngerNs = BigInt(head.lastModifiedMs) * 1_000_000n - mtimeNs;
  return youngerNs >= -SECOND_NS && (!isDownload || youngerNs <= SECOND_NS);
}
