import type { TransferContext } from '../transfer/transfer-context.js';
import { S3Error, sourceError, toS3Error } from '../errors.js';
import type { SourceFile, Spool } from '../types.js';
import { AbortableWait } from '../abort.js';

/** Bytes that wait in spools at once, unless one part alone is larger. */
const SPOOLED_MAX = 1024 ** 3;

/** One part of a stream, to be sent, maybe more than once, and then freed. */
export type StreamPart = { size: number; /** The stream ended with it. */ ended: boolean; free(): void } & (
  | { body: Uint8Array }
  | { spool: Spool }
);

/**
 * A stream cut into parts: those that fit in half of the run's memory are held, larger ones wait in a spool, where the source has one.
 * @param inFlight what is done to parts that are not yet freed
 * @param signal ends the reading
 */
export async function* streamParts(
  context: TransferContext,
  file: SourceFile,
  sizeOf: (number: number) => number,
  inFlight: ReadonlySet<Promise<void>>,
  signal: AbortSignal,
): AsyncGenerator<StreamPart> {
  const stream = openStream(file, signal);
  const waiting = new AbortableWait(signal);
  const fill = chunkReader(() => waiting.race(stream.next()));
  try {
    for (let number = 1, ended = false; !ended; number++) {
      const wanted = sizeOf(number);
      const part =
        file.spool === undefined || fitsInMemory(context, wanted)
          ? await bufferPart(context, wanted, (buffer) => fill(wanted, (at, bytes) => buffer.set(bytes, at)))
          : await spoolPart(context, file.spool(), wanted, fill, inFlight);
      ({ ended } = part);
      // Nothing came after a part that was full.
      if (part.size > 0 || number === 1) yield part;
      else part.free();
    }
  } finally {
    await waiting.close(() => stream.return?.());
  }
}

function openStream(file: SourceFile, signal: AbortSignal): AsyncIterator<Uint8Array> {
  try {
    return file.stream!(signal)[Symbol.asyncIterator]();
  } catch (error) {
    throw sourceError(error);
  }
}

const fitsInMemory = (context: TransferContext, size: number): boolean => size <= context.buffers.budget / 2;

/** Bytes that were read, and whether the stream ended with them. */
type Filled = Promise<{ size: number; ended: boolean }>;
type Fill = (size: number, take: (at: number, bytes: Uint8Array) => void | Promise<void>) => Filled;

async function bufferPart(context: TransferContext, wanted: number, fill: (buffer: Uint8Array) => Filled): Promise<StreamPart> {
  const buffer = await context.buffers.acquire(wanted, context.signal);
  const free = (): void => context.buffers.release(buffer);
  return freedOnFailure(free, async () => {
    const filled = await fill(buffer);
    return { ...filled, body: buffer.subarray(0, filled.size), free };
  });
}

function spoolPart(
  context: TransferContext,
  spool: Spool,
  wanted: number,
  fill: Fill,
  inFlight: ReadonlySet<Promise<void>>,
): Promise<StreamPart> {
  const free = (): void => spool.close();
  return freedOnFailure(free, async () => {
    while (inFlight.size > 0 && (inFlight.size + 1) * wanted > SPOOLED_MAX) await Promise.race(inFlight);
    const filled = await fill(wanted, (at, bytes) => spool.write(at, bytes));
    if (!fitsInMemory(context, filled.size)) return { ...filled, spool, free };
    const part = await bufferPart(context, filled.size, async (buffer) => {
      await spool.read(0, buffer.subarray(0, filled.size));
      return filled;
    });
    free();
    return part;
  });
}

async function freedOnFailure(free: () => void, make: () => Promise<StreamPart>): Promise<StreamPart> {
  try {
    return await make();
  } catch (error) {
    free();
    throw toS3Error(error);
  }
}

/** Hands on pieces, which have sizes of their own, until there are so many bytes of them. */
function chunkReader(nextPiece: () => Promise<IteratorResult<Uint8Array>>): Fill {
  let rest: Uint8Array = new Uint8Array(0);
  return async (size, take) => {
    let at = 0;
    for (;;) {
      const taken = rest.subarray(0, size - at);
      if (taken.length > 0) await take(at, taken);
      at += taken.length;
      rest = rest.subarray(taken.length);
      if (at === size && rest.length > 0) return { size: at, ended: false };
      const next = await nextPiece().catch((error: unknown) => {
        throw sourceError(error);
      });
      if (next.done) return { size: at, ended: true };
      if (!(next.value instanceof Uint8Array))
        throw new S3Error('SourceUnreadable', `A stream has to yield bytes (Uint8Array), and yielded ${typeof next.value}.`);
      rest = next.value;
    }
  };
}
