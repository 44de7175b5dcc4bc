import { sleep, throwIfAborted } from '../abort.js';
import { runningChecksum } from '../s3/checksums.js';
import { hashBody, hashesNeeded } from '../s3/commands/body-checksums.js';
import type { BodyHashes } from '../s3/commands/body-checksums.js';
import type { Store } from '../s3/object-store.js';
import type { SourceReader } from '../types.js';
import { partBody } from './part-body.js';
import type { Part } from './part-plan.js';
import type { TransferContext } from './transfer-context.js';

/** Bytes that a page hashes without a pause. They take a few milliseconds. */
const PIECE = 512 * 1024;

/** Computes the hashes of a body in memory. In a page, it pauses between the pieces of a long body, so that the page can draw. */
export function hashBuffered(store: Store, body: Uint8Array): BodyHashes | Promise<BodyHashes> {
  const { yieldToEventLoop } = store.digests;
  return yieldToEventLoop === undefined || body.length <= PIECE
    ? hashBody(store, body)
    : hashWithPauses(store, body, yieldToEventLoop);
}

async function hashWithPauses(store: Store, body: Uint8Array, yieldToEventLoop: () => Promise<void>): Promise<BodyHashes> {
  const hashes = runningHashes(store);
  for (let start = 0; start < body.length; start += PIECE) {
    hashes.update(body.subarray(start, start + PIECE));
    await yieldToEventLoop();
  }
  return hashes.value();
}

/**
 * Reads a part and computes its hashes, before a second reading sends it.
 * @param buffer lent for the part. The second reading uses it too: a request that waits for another buffer could wait for parts
 * that wait for this request.
 */
export async function hashPart(
  context: TransferContext,
  reader: Pick<SourceReader, 'read' | 'blob'>,
  part: Part,
  buffer: Uint8Array,
  name: string,
): Promise<BodyHashes> {
  const hashes = runningHashes(context.store);
  const pieces = partBody(reader, part, buffer, name);
  for (let piece = await pieces.next(); piece !== undefined; piece = await pieces.next()) {
    hashes.update(piece);
    throwIfAborted(context.signal);
  }
  return hashes.value();
}

const lastTasks = new WeakMap<TransferContext, Promise<unknown>>();

/** Runs the hashing tasks of a transfer one after the other, so that the first part is sent while the second is hashed. */
export function hashInTurn<Result>(context: TransferContext, work: () => Promise<Result>): Promise<Result> {
  const task = (lastTasks.get(context) ?? Promise.resolve()).then(async () => {
    // Lets the request of the previous part start.
    await sleep(0, context.signal);
    return work();
  });
  lastTasks.set(
    context,
    task.catch(() => {}),
  );
  return task;
}

function runningHashes(store: Store): { update(piece: Uint8Array): void; value(): BodyHashes } {
  const needed = hashesNeeded(store);
  const checksum = runningChecksum(store.digests, store.checksum);
  const md5 = needed.md5 ? store.digests.md5() : undefined;
  const sha256 = needed.sha256 ? store.digests.sha256() : undefined;
  return {
    update(piece) {
      checksum.update(piece);
      md5?.update(piece);
      sha256?.update(piece);
    },
    value: () => ({
      checksum: checksum.value(),
      ...(md5 && { md5Hex: md5.hex() }),
      ...(sha256 && { sha256Hex: sha256.hex() }),
    }),
  };
}
