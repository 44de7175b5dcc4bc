/** Bytes a slab gathers: so many travel between threads, and to the disk, at once. */
export const BUFFER_SIZE = 256 * 1024;
/** Slabs of one body: one is filled, one hashed, one written, one waits. */
const MAX_BUFFERS = 4;
/** Slabs that bodies have done with and the next ones take. */
const MAX_SPARE = 32;
const spare: Buffer[] = [];

/**
 * The memory of one body on its way through, however long it is: one side fills slabs, the other takes them in order and gives them back. A
 * body that comes slowly uses one.
 */
export class BufferRing {
  readonly #filled: Buffer[] = [];
  #free: Buffer[] = [];
  #made = 0;
  #end: { cause?: unknown } | undefined;
  #waiting: (() => void)[] = [];

  /** Whether all that will ever come has been taken. */
  get isDrained(): boolean {
    return this.#end !== undefined && this.#filled.length === 0;
  }

  /** One to fill, as soon as there is one; undefined when nobody takes them any more. */
  async takeEmpty(): Promise<Buffer | undefined> {
    for (;;) {
      if (this.#end) return undefined;
      const slab = this.#free.pop();
      if (slab) return slab;
      if (this.#made < MAX_BUFFERS) {
        this.#made += 1;
        return spare.pop() ?? Buffer.from(new SharedArrayBuffer(BUFFER_SIZE));
      }
      await this.#change();
    }
  }

  putFilled(filled: Buffer): void {
    this.#filled.push(filled);
    this.#changed();
  }

  /** There will be no more; with a cause, what is still here is worth nothing. The first end counts. */
  end(cause?: unknown): void {
    this.#end ??= cause === undefined ? {} : { cause };
    for (const slab of this.#free) keepSpare(slab);
    this.#free = [];
    this.#changed();
  }

  /** The next filled one, undefined at the end. @throws what it ended with. */
  async takeFilled(): Promise<Buffer | undefined> {
    for (;;) {
      if (this.#end?.cause !== undefined) throw this.#end.cause;
      const filled = this.#filled.shift();
      if (filled || this.#end) return filled;
      await this.#change();
    }
  }

  /** What it holds may be overwritten from here on. */
  recycle(filled: Buffer): void {
    const slab = Buffer.from(filled.buffer);
    if (this.#end) keepSpare(slab);
    else this.#free.push(slab);
    this.#changed();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #changed(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

function keepSpare(slab: Buffer): void {
  if (spare.length < MAX_SPARE) spare.push(slab);
}
