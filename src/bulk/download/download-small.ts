import type { TransferContext } from '../transfer/transfer-context.js';
import { contentDigestOf } from '../s3/commands/head-object.js';
import type { ObjectHead } from '../s3/commands/head-object.js';
import { S3Error } from '../errors.js';
import type { FileFacts, ObjectEntry, Target } from '../types.js';
import { fetchObject } from './fetch-object.js';
import type { BodyReceiver } from './fetch-object.js';
import { copyPiece } from './piece-writer.js';
import { checksumMismatch, runningDigest } from '../verify/content-digest.js';

/** An object up to this size is held whole, and its file made when it is known to be right. */
export const SMALL_MAX = 256 * 1024;

/** @returns undefined when the object has grown since it was listed: then it is not small any more. @throws S3Error */
export async function downloadSmall(
  context: TransferContext,
  entry: ObjectEntry,
  path: string,
  { bucket, target, factsFor }: { bucket: string; target: Target; factsFor: (facts: ObjectHead) => FileFacts },
): Promise<{ facts: ObjectHead; mtimeNs: bigint } | undefined> {
  const borrowing = context.buffers.acquire(entry.size, context.signal, target.memory);
  const buffer = borrowing instanceof Promise ? await borrowing : borrowing;
  let grown = false;
  const receiver = (): BodyReceiver => {
    let end = 0;
    return {
      room: () => buffer.subarray(end),
      take(position, piece) {
        end = position + piece.length;
        grown = end > buffer.length;
        if (grown) throw new S3Error('FileChanged', `${entry.key} has grown since it was listed.`);
        copyPiece(piece, buffer, position);
      },
    };
  };
  try {
    const facts = await fetchObject(context, bucket, entry, receiver);
    if (contentDigestOf(facts) === undefined) checkSmall(context, entry.key, facts, buffer.subarray(0, facts.size));
    return { facts, mtimeNs: await make(target, path, buffer.subarray(0, facts.size), factsFor(facts)) };
  } catch (error) {
    if (grown) return undefined;
    throw error;
  } finally {
    context.buffers.release(buffer);
  }
}

/** A small object has one part. */
function checkSmall(context: TransferContext, key: string, facts: ObjectHead, bytes: Uint8Array): void {
  if (facts.encrypted || !/^[0-9a-f]{32}-1$/.test(facts.etag)) return void context.report.summary.unverified++;
  const hash = runningDigest(context.store.digests, { kind: 'parts', value: facts.etag, partSize: Math.max(1, facts.size) });
  hash.update(bytes);
  if (hash.value() !== facts.etag) throw checksumMismatch(key);
}

async function make(target: Target, path: string, bytes: Uint8Array, facts: FileFacts): Promise<bigint> {
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
