/** Bytes of one buffer. Threads and the disk receive this much at once. */
export const BUFFER_SIZE = 256 * 1024;
/** Buffers of one body: one is filled, one hashed, one written, one waits. */
const MAX_BUFFERS = 4;
/** Unused buffers that are kept for later bodies. */
const MAX_SPARE = 32;
const spareBuffers: Buffer[] = [];

/**
 * The memory of one body on its way through the service: at most four buffers, however long the body is. One side fills buffers, the other side
 * takes them in order and recycles them. A slow body uses one buffer.
 */
export class BufferRing {
  readonly #filled: Buffer[] = [];
  #empty: Buffer[] = [];
  #allocated = 0;
  #end: { cause?: unknown } | undefined;
  #waiting: (() => void)[] = [];

  /** Returns whether the last buffer was taken. */
  get isDrained(): boolean {
    return this.#end !== undefined && this.#filled.length === 0;
  }

  /** Waits for an empty buffer. @returns undefined if the reader has stopped. */
  async takeEmpty(): Promise<Buffer | undefined> {
    for (;;) {
      if (this.#end) return undefined;
      const buffer = this.#empty.pop();
      if (buffer) return buffer;
      if (this.#allocated < MAX_BUFFERS) {
        this.#allocated += 1;
        return spareBuffers.pop() ?? Buffer.from(new SharedArrayBuffer(BUFFER_SIZE));
      }
      await this.#nextChange();
    }
  }

  putFilled(filled: Buffer): void {
    this.#filled.push(filled);
    this.#notify();
  }

  /** Ends the ring. With a cause the reader receives the cause instead of the remaining buffers. Only the first call counts. */
  end(cause?: unknown): void {
    this.#end ??= cause === undefined ? {} : { cause };
    for (const buffer of this.#empty) keepSpare(buffer);
    this.#empty = [];
    this.#notify();
  }

  /** Waits for the next filled buffer. @returns undefined at the end. @throws the cause of the end. */
  async takeFilled(): Promise<Buffer | undefined> {
    for (;;) {
      if (this.#end?.cause !== undefined) throw this.#end.cause;
      const filled = this.#filled.shift();
      if (filled || this.#end) return filled;
      await this.#nextChange();
    }
  }

  /** Returns a buffer whose content is no longer needed. */
  recycle(filled: Buffer): void {
    const buffer = Buffer.from(filled.buffer);
    if (this.#end) keepSpare(buffer);
    else this.#empty.push(buffer);
    this.#notify();
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #notify(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

function keepSpare(buffer: Buffer): void {
  if (spareBuffers.length < MAX_SPARE) spareBuffers.push(buffer);
}
