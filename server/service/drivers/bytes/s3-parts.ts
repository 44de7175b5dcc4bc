import type { PartAllocation, PartMemory } from './part-memory.js';

const MIB = 1024 * 1024;
/** S3 takes at most 10,000 parts of at least 5 MiB. */
export const PART_SIZE = 8 * MIB;
/**
 * Sizes of parts by their numbers. They do not depend on an announced length. The first 8 GiB of a body are parts of 8 MiB, the next 125 GiB parts
 * of 64 MiB, and 10,000 parts hold 5 TiB.
 */
const STEPS = [
  { upTo: 1000, size: PART_SIZE },
  { upTo: 3000, size: 64 * MIB },
  { upTo: 10_000, size: 736 * MIB },
] as const;
/** Bytes allocated for a new part. A part that outgrows them gets memory for its whole size. */
const FIRST_MEMORY = 256 * 1024;

/** Returns the bytes of a part. @param number from 1. */
export const partSize = (number: number): number => (STEPS.find(({ upTo }) => number <= upTo) ?? STEPS.at(-1)!).size;

export interface Part {
  bytes: Uint8Array;
  /** Whether the part has its full size. Only the last part of a body may be shorter. */
  isFull: boolean;
  /** Releases the memory of the part after it was stored or refused. */
  release(): void;
}

/**
 * Cuts a body into parts and fills one part at a time. An empty body has no part.
 * @param signal ends the wait for bytes and for memory.
 */
export async function* cutIntoParts(
  body: AsyncIterable<Uint8Array>,
  memory: PartMemory,
  signal: AbortSignal,
): AsyncGenerator<Part> {
  const source = body[Symbol.asyncIterator]();
  let part = new PartBuffer(memory, partSize(1));
  let isYielded = false;
  try {
    for (let number = 1; ;) {
      const next = await part.allocation.receive(source.next(), signal);
      if (next.done) break;
      let rest = next.value;
      while (rest.byteLength > 0) {
        rest = await part.add(rest, signal);
        if (!part.isFull) continue;
        const full = part;
        part = new PartBuffer(memory, partSize(++number));
        yield full;
      }
    }
    if (part.bytes.byteLength === 0) return;
    isYielded = true;
    yield part;
  } finally {
    if (!isYielded) part.release();
    // Not awaited, because it may wait for a chunk that never arrives.
    void source.return?.()?.catch(() => {});
  }
}

class PartBuffer implements Part {
  readonly allocation: PartAllocation;
  #memory = new Uint8Array();
  #length = 0;

  constructor(
    memory: PartMemory,
    private readonly size: number,
  ) {
    this.allocation = memory.begin(size);
  }

  get bytes(): Uint8Array {
    return this.#memory.subarray(0, this.#length);
  }

  get isFull(): boolean {
    return this.#length === this.size;
  }

  /** Copies a chunk into the part. @returns the bytes that did not fit. */
  async add(chunk: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    const piece = chunk.subarray(0, this.size - this.#length);
    await this.allocation.take(piece.byteLength, signal);
    const length = this.#length + piece.byteLength;
    if (length > this.#memory.byteLength) {
      const received = this.bytes;
      // The system provides pages when they are written, so bytes that have not arrived take no memory.
      this.#memory = Buffer.allocUnsafeSlow(length <= FIRST_MEMORY ? FIRST_MEMORY : this.size);
      this.#memory.set(received);
    }
    this.#memory.set(piece, this.#length);
    this.#length = length;
    return chunk.subarray(piece.byteLength);
  }

  release(): void {
    this.allocation.release();
    this.#memory = new Uint8Array();
    this.#length = 0;
  }
}

/** Limits the bytes of all parts that are sent while their uploads continue to receive. */
export class ByteSemaphore {
  #free: number;

  constructor(bytes: number) {
    this.#free = bytes;
  }

  /** @returns false if there is no room. Does not wait. */
  tryTake(bytes: number): boolean {
    if (bytes > this.#free) return false;
    this.#free -= bytes;
    return true;
  }

  release(bytes: number): void {
    this.#free += bytes;
  }
}
