import { S3Error } from '../errors.js';
import { contentDigestOf } from '../s3/commands/head-object.js';
import type { ObjectHead } from '../s3/commands/head-object.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { FileFacts, ObjectEntry, Target } from '../types.js';
import { checksumMismatch, runningDigest } from '../verify/running-digest.js';
import type { DownloadedFile } from './download-settings.js';
import { fetchObject } from './fetch-object.js';
import type { BodyReceiver } from './fetch-object.js';
import { copyPiece } from './piece-writer.js';

/** Objects up to this size are held in memory, and their file is written after they are verified. Bytes. */
export const SMALL_MAX = 256 * 1024;

/**
 * Downloads a small object.
 * @returns undefined if the object has grown since it was listed; then it may be too large for this function
 * @throws S3Error
 */
export async function downloadSmall(
  context: TransferContext,
  entry: ObjectEntry,
  path: string,
  { bucket, target, factsFor }: { bucket: string; target: Target; factsFor: (head: ObjectHead) => FileFacts },
): Promise<DownloadedFile | undefined> {
  const acquired = context.buffers.acquire(entry.size, context.signal, target.memory);
  const buffer = acquired instanceof Promise ? await acquired : acquired;
  let hasGrown = false;
  const createReceiver = (): BodyReceiver => {
    let end = 0;
    return {
      room: () => buffer.subarray(end),
      push(position, piece) {
        end = position + piece.length;
        hasGrown = end > buffer.length;
        if (hasGrown) throw new S3Error('FileChanged', `${entry.key} has grown since it was listed.`);
        copyPiece(piece, buffer, position);
      },
    };
  };
  try {
    const head = await fetchObject(context, bucket, entry, createReceiver);
    const bytes = buffer.subarray(0, head.size);
    if (contentDigestOf(head) === undefined) verifyByEtag(context, entry.key, head, bytes);
    const mtimeNs = await writeFile(target, path, bytes, factsFor(head));
    return { size: head.size, etag: head.etag, mtimeNs };
  } catch (error) {
    if (hasGrown) return undefined;
    throw error;
  } finally {
    context.buffers.release(buffer);
  }
}

/** Compares the bytes with the ETag of a multipart upload. A small object has one part. */
function verifyByEtag(context: TransferContext, key: string, head: ObjectHead, bytes: Uint8Array): void {
  if (head.encrypted || !/^[0-9a-f]{32}-1$/.test(head.etag)) return void context.report.summary.unverified++;
  const running = runningDigest(context.store.digests, { kind: 'parts', value: head.etag, partSize: Math.max(1, head.size) });
  running.update(bytes);
  if (running.value() !== head.etag) throw checksumMismatch(key);
}

/** @returns the modification time of the file */
async function writeFile(target: Target, path: string, bytes: Uint8Array, facts: FileFacts): Promise<bigint> {
  if (target.make !== undefined) return target.make(path, bytes, facts);
  const file = await target.open(path, false);
  try {
    await file.write(0, bytes);
    return await file.commit(facts);
  } catch (error) {
    await file.discard(false);
    throw error;
  }
}
