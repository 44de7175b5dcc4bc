import type { TransferContext } from './transfer-context.js';
import { runningChecksum } from '../s3/checksums.js';
import { hashBody, hashesNeeded } from '../s3/commands/body-checksums.js';
import type { BodyHashes } from '../s3/commands/body-checksums.js';
import type { Part } from './part-plan.js';
import { S3Error } from '../errors.js';
import type { Store } from '../s3/object-store.js';
import type { SourceReader } from '../types.js';
import { sleep, throwIfAborted } from '../abort.js';
import type { BodyPieces } from '../http/http-client.js';

/** Bytes hashed without a break in a page: a few milliseconds. */
const PIECE = 512 * 1024;

/**
 * A part up to this size is held whole and read once; a larger one, or one that a page can send as a Blob, piece by piece: once, where
 * the store takes a checksum behind the body, else twice.
 */
export const BUFFERED_PART_MAX = 16 * 1024 * 1024;

/** Reads exactly `into.length` bytes. @throws S3Error `FileChanged` when there are fewer. */
export async function readFully(
  reader: Pick<SourceReader, 'read' | 'blob'>,
  position: number,
  into: Uint8Array,
  name: string,
): Promise<void> {
  const read = await reader.read(position, into);
  if (read !== into.length) throw fileChanged(name);
}

/** The hashes of a body that is held whole; at once, unless a page has to draw meanwhile. */
export function hashBuffered(store: Store, body: Uint8Array): BodyHashes | Promise<BodyHashes> {
  const { yieldToEventLoop } = store.digests;
  return yieldToEventLoop === undefined || body.length <= PIECE
    ? hashBody(store, body)
    : hashYielding(store, body, yieldToEventLoop);
}

async function hashYielding(store: Store, body: Uint8Array, yieldToEventLoop: () => Promise<void>): Promise<BodyHashes> {
  const hashes = runningHashes(store);
  for (let at = 0; at < body.length; at += PIECE) {
    hashes.update(body.subarray(at, at + PIECE));
    await yieldToEventLoop();
  }
  return hashes.value();
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

const turns = new WeakMap<TransferContext, Promise<unknown>>();

/** One after the other: the first part leaves while the next is hashed, and not when all are. */
export function hashInTurn<Result>(context: TransferContext, work: () => Promise<Result>): Promise<Result> {
  const turn = (turns.get(context) ?? Promise.resolve()).then(async () => {
    // Lets the part that was hashed before leave first.
    await sleep(0, context.signal);
    return work();
  });
  turns.set(
    context,
    turn.catch(() => {}),
  );
  return turn;
}

/** First reading of a large part that is read twice: its hashes. SHA-256 and MD5 of a body that is not held come from running hashes. */
export async function hashPart(
  context: TransferContext,
  reader: Pick<SourceReader, 'read' | 'blob'>,
  part: Part,
  buffer: Uint8Array,
  name: string,
): Promise<BodyHashes> {
  const hashes = runningHashes(context.store);
  // The buffer that was lent for the part serves both readings: to ask for another one here, inside a request, could
  // wait for parts that wait for this request.
  const pieces = partBody(reader, part, buffer, name);
  for (let piece = await pieces.next(); piece !== undefined; piece = await pieces.next()) {
    hashes.update(piece);
    throwIfAborted(context.signal);
  }
  return hashes.value();
}

/** The only reading, or the second: the body as it is sent, through one borrowed buffer. */
export function partBody(
  reader: Pick<SourceReader, 'read' | 'blob'>,
  part: Part,
  buffer: Uint8Array,
  name: string,
): BodyPieces & { /** The request is over: nothing reads any more when this settles. */ stop(): Promise<void> } {
  let at = 0;
  let reading: Promise<void> | undefined;
  return {
    size: part.size,
    ...(reader.blob && { blob: reader.blob(part.start, part.size) }),
    async next() {
      if (at >= part.size) return undefined;
      const piece = buffer.subarray(0, Math.min(buffer.length, part.size - at));
      await (reading = readFully(reader, part.start + at, piece, name));
      at += piece.length;
      return piece;
    },
    async stop() {
      at = part.size;
      await reading?.catch(() => {});
    },
  };
}

export const fileChanged = (name: string): S3Error => new S3Error('FileChanged', `${name} changed while it was read.`);
