import type { TransferContext } from '../transfer/transfer-context.js';
import { S3Error, sourceError, toS3Error } from '../errors.js';
import type { SourceFile, Spool } from '../types.js';
import { AbortableWait } from '../abort.js';

/** Largest number of bytes in all spools, unless one part alone is larger. */
const MAX_SPOOLED = 1024 ** 3;

/** One part of a stream. `ended` is true for the last part. Call `free` when the part is sent. */
export type StreamPart = { size: number; ended: boolean; free(): void } & ({ body: Uint8Array } | { spool: Spool });

/**
 * Cuts a stream into parts. A part that fits in half of the memory is held there. Larger parts go to a spool if the source has one.
 * @param sizeOf returns the size of a part by its number, which counts from 1
 * @param inFlight uploads of the parts that are not yet freed
 * @param signal ends reading
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
  const readBytes = chunkReader(() => waiting.race(stream.next()));
  try {
    for (let number = 1, ended = false; !ended; number++) {
      const partSize = sizeOf(number);
      const part =
        file.spool === undefined || fitsInMemory(context, partSize)
          ? await bufferPart(context, partSize, (buffer) => readBytes(partSize, (at, bytes) => buffer.set(bytes, at)))
          : await spoolPart(context, file.spool(), partSize, readBytes, inFlight);
      ({ ended } = part);
      // The stream ended exactly at the end of the part before.
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

/** Number of bytes read, and whether the stream ended with them. */
interface ReadResult {
  size: number;
  ended: boolean;
}
/** Reads up to `size` bytes and passes them to `write` with their position. */
type ReadBytes = (size: number, write: (position: number, bytes: Uint8Array) => void | Promise<void>) => Promise<ReadResult>;

async function bufferPart(
  context: TransferContext,
  size: number,
  fill: (buffer: Uint8Array) => Promise<ReadResult>,
): Promise<StreamPart> {
  const buffer = await context.buffers.acquire(size, context.signal);
  const free = (): void => context.buffers.release(buffer);
  return freeOnFailure(free, async () => {
    const result = await fill(buffer);
    return { ...result, body: buffer.subarray(0, result.size), free };
  });
}

function spoolPart(
  context: TransferContext,
  spool: Spool,
  size: number,
  readBytes: ReadBytes,
  inFlight: ReadonlySet<Promise<void>>,
): Promise<StreamPart> {
  const free = (): void => spool.close();
  return freeOnFailure(free, async () => {
    while (inFlight.size > 0 && (inFlight.size + 1) * size > MAX_SPOOLED) await Promise.race(inFlight);
    const result = await readBytes(size, (position, bytes) => spool.write(position, bytes));
    if (!fitsInMemory(context, result.size)) return { ...result, spool, free };
    const part = await bufferPart(context, result.size, async (buffer) => {
      await spool.read(0, buffer.subarray(0, result.size));
      return result;
    });
    free();
    return part;
  });
}

async function freeOnFailure(free: () => void, create: () => Promise<StreamPart>): Promise<StreamPart> {
  try {
    return await create();
  } catch (error) {
    free();
    throw toS3Error(error);
  }
}

/** Returns a function that reads a number of bytes from chunks of any size. */
function chunkReader(nextChunk: () => Promise<IteratorResult<Uint8Array>>): ReadBytes {
  let rest: Uint8Array = new Uint8Array(0);
  return async (size, write) => {
    let position = 0;
    for (;;) {
      const bytes = rest.subarray(0, size - position);
      if (bytes.length > 0) await write(position, bytes);
      position += bytes.length;
      rest = rest.subarray(bytes.length);
      if (position === size && rest.length > 0) return { size: position, ended: false };
      const next = await nextChunk().catch((error: unknown) => {
        throw sourceError(error);
      });
      if (next.done) return { size: position, ended: true };
      if (!(next.value instanceof Uint8Array))
        throw new S3Error('SourceUnreadable', `The stream must yield Uint8Array; got ${typeof next.value}.`);
      rest = next.value;
    }
  };
}
