import { toldOf } from '../s3/commands/head-object.js';
import type { ObjectFacts } from '../s3/commands/head-object.js';
import { S3Error } from '../errors.js';
import type { FileFacts, ObjectEntry, Target } from '../types.js';
import { fetchWhole } from './fetch-whole.js';
import type { Taker } from './fetch-whole.js';
import { put } from './piece-writer.js';
import { mismatch, running } from '../verify/object-check.js';
import type { Run } from '../transfer/run.js';

/** An object up to this size is held whole, and its file made when it is known to be right. */
export const SMALL_MAX = 256 * 1024;

/** @returns undefined when the object has grown since it was listed: then it is not small any more. @throws S3Error */
export async function downloadSmall(
  run: Run,
  entry: ObjectEntry,
  path: string,
  { bucket, target, factsFor }: { bucket: string; target: Target; factsFor: (facts: ObjectFacts) => FileFacts },
): Promise<{ facts: ObjectFacts; mtimeNs: bigint } | undefined> {
  const borrowing = run.buffers.take(entry.size, run.signal, target.memory);
  const buffer = borrowing instanceof Promise ? await borrowing : borrowing;
  let grown = false;
  const taker = (): Taker => {
    let end = 0;
    return {
      room: () => buffer.subarray(end),
      take(position, piece) {
        end = position + piece.length;
        grown = end > buffer.length;
        if (grown) throw new S3Error('FileChanged', `${entry.key} has grown since it was listed.`);
        put(piece, buffer, position);
      },
    };
  };
  try {
    const facts = await fetchWhole(run, bucket, entry, taker);
    if (toldOf(facts) === undefined) checkSmall(run, entry.key, facts, buffer.subarray(0, facts.size));
    return { facts, mtimeNs: await make(target, path, buffer.subarray(0, facts.size), factsFor(facts)) };
  } catch (error) {
    if (grown) return undefined;
    throw error;
  } finally {
    run.buffers.give(buffer);
  }
}

/** What is so small has but one part. */
function checkSmall(run: Run, key: string, facts: ObjectFacts, bytes: Uint8Array): void {
  if (facts.encrypted || !/^[0-9a-f]{32}-1$/.test(facts.etag)) return void run.summary.unverified++;
  const hash = running(run.store.digests, { kind: 'parts', value: facts.etag, partSize: Math.max(1, facts.size) });
  hash.update(bytes);
  if (hash.value() !== facts.etag) throw mismatch(key);
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
