import type { PartAllocation, PartMemory } from './part-memory.js';

const MIB = 1024 * 1024;
/** S3 takes at most 10,000 parts of at least 5 MiB. */
export const PART_SIZE = 8 * MIB;
/**
 * Sizes of parts by their numbers. They follow from the bytes that have arrived and never from an announced length: a body of 8 GiB holds
 * parts of 8 MiB, one of 133 GiB parts of 64 MiB, and 10,000 parts hold 5 TiB.
 */
const STEPS = [
  { upTo: 1000, size: PART_SIZE },
  { upTo: 3000, size: 64 * MIB },
  { upTo: 10_000, size: 736 * MIB },
] as const;
/** A part that outgrows this much gets memory for its whole size. */
const FIRST_MEMORY = 256 * 1024;

/** Bytes of part `number` (from 1) of a body. */
export const partSize = (number: number): number => (STEPS.find(({ upTo }) => number <= upTo) ?? STEPS.at(-1)!).size;

export interface Part {
  bytes: Uint8Array;
  /** Whether the body went on for as long as the part is. */
  isFull: boolean;
  /** Gives its memory back, once it is stored or given up. */
  release(): void;
}

/**
 * Cuts a body into parts and fills one at a time. An empty body has none.
 * @param signal ends the wait for bytes and for memory.
 */
export async function* cutIntoParts(
  body: AsyncIterable<Uint8Array>,
  memory: PartMemory,
  signal: AbortSignal,
): AsyncGenerator<Part> {
  const source = body[Symbol.asyncIterator]();
  let part = new PartBuffer(memory, partSize(1));
  let isGiven = false;
  try {
    for (let number = 1; ;) {
      const next = await part.hold.receive(source.next(), signal);
      if (next.done) break;
      for (let rest = next.value; rest.byteLength > 0;) {
        rest = await part.add(rest, signal);
        if (!part.isFull) continue;
        const full = part;
        part = new PartBuffer(memory, partSize(++number));
        yield full;
      }
    }
    if (part.bytes.byteLength === 0) return;
    isGiven = true;
    yield part;
  } finally {
    if (!isGiven) part.release();
    // Not awaited: it may wait for the very chunk that does not come.
    void source.return?.()?.catch(() => {});
  }
}

class PartBuffer implements Part {
  readonly hold: PartAllocation;
  #memory = new Uint8Array();
  #length = 0;

  constructor(
    memory: PartMemory,
    private readonly size: number,
  ) {
    this.hold = memory.begin(size);
  }

  get bytes(): Uint8Array {
    return this.#memory.subarray(0, this.#length);
  }

  get isFull(): boolean {
    return this.#length === this.size;
  }

  /** Copies a chunk, which is its sender's again afterwards. @returns what did not fit. */
  async add(chunk: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    const piece = chunk.subarray(0, this.size - this.#length);
    await this.hold.take(piece.byteLength, signal);
    const length = this.#length + piece.byteLength;
    if (length > this.#memory.byteLength) {
      const before = this.bytes;
      // The system gives pages out as they are written: what has not arrived takes no memory.
      this.#memory = Buffer.allocUnsafeSlow(length <= FIRST_MEMORY ? FIRST_MEMORY : this.size);
      this.#memory.set(before);
    }
    this.#memory.set(piece, this.#length);
    this.#length = length;
    return chunk.subarray(piece.byteLength);
  }

  release(): void {
    this.hold.release();
    this.#memory = new Uint8Array();
    this.#length = 0;
  }
}

/** Bytes of parts that travel while their uploads read on, over all uploads. */
export class ByteSemaphore {
  #free: number;

  constructor(bytes: number) {
    this.#free = bytes;
  }

  take(bytes: number): boolean {
    if (bytes > this.#free) return false;
    this.#free -= bytes;
    return true;
  }

  give(bytes: number): void {
    this.#free += bytes;
  }
}
