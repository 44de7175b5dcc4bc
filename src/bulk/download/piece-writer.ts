import { S3Error } from '../errors.js';
import type { TargetFile } from '../types.js';

/** Half of what a writer borrows: a call costs nothing beside writing so much, and both halves fit a cache. */
const HALF = 512 * 1024;
/** There is always room for so much: what a connection reads at once. */
const ROOM = 256 * 1024;

/** Memory that one writer borrows, in bytes. */
export const WRITER_MEMORY = 2 * HALF;

const isAt = (piece: Uint8Array, buffer: Uint8Array, at: number): boolean =>
  piece.buffer === buffer.buffer && piece.byteOffset === buffer.byteOffset + at;

/** As Node's `Buffer` has it. */
interface Copying {
  copy(target: Uint8Array, targetStart: number, sourceStart: number, sourceEnd: number): number;
}

/**
 * Copies, unless a wire has read it to just there (`WireRequest.room`). Into shared memory V8 copies byte by byte, 3.5 µs for 10 KiB;
 * Node leaves a part of a buffer, which is any less than all of it, to the C library: 0.3.
 */
export function copyPiece(piece: Uint8Array, buffer: Uint8Array, at: number): void {
  const last = piece.length - 1;
  if (last < 0 || isAt(piece, buffer, at)) return;
  if ('copy' in piece && at + last < buffer.length) {
    (piece as Uint8Array & Copying).copy(buffer, at, 0, last);
    buffer[at + last] = piece[last]!;
  } else buffer.set(piece, at);
}

/**
 * Gathers bytes in one half of a borrowed buffer while the other half is written, so that the disk does not slow down the
 * network. Pushed bytes are copied at once unless they are in place already.
 */
export class PieceWriter {
  #half: 0 | 1 = 0;
  #filled = 0;
  readonly #writing: [Promise<void> | undefined, Promise<void> | undefined] = [undefined, undefined];

  constructor(
    private readonly file: TargetFile,
    private readonly buffer: Uint8Array,
    private position: number,
  ) {}

  /** Answers with a promise when the next push has to wait for it. */
  push(chunk: Uint8Array): void | Promise<void> {
    // Better no file than one whose bytes lie over one another.
    if (this.#writing[this.#half] !== undefined)
      throw new S3Error('UnexpectedAnswer', 'Pieces came faster than they were taken.');
    const at = this.#half * HALF + this.#filled;
    if (chunk.length > ROOM && !isAt(chunk, this.buffer, at)) return this.#inTurns(chunk.slice());
    copyPiece(chunk, this.buffer, at);
    this.#filled += chunk.length;
    return this.#filled + ROOM > HALF ? this.#flush() : undefined;
  }

  /** Where the next push would find its bytes in place. To be touched no sooner than the next push may come. */
  room(): Uint8Array {
    return this.buffer.subarray(this.#half * HALF + this.#filled, (this.#half + 1) * HALF);
  }

  /** Writes what is left. */
  async end(): Promise<void> {
    await this.#flush();
    await this.settled();
  }

  /** Nothing is being written any more: the file may be closed, the buffer given back. @throws what writing failed with. */
  async settled(): Promise<void> {
    for (const outcome of await Promise.allSettled(this.#writing)) if (outcome.status === 'rejected') throw outcome.reason;
  }

  async #inTurns(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length; at += ROOM) await this.push(chunk.subarray(at, at + ROOM));
  }

  /** Sends the present half on its way and turns to the other, which may still be on its own. */
  #flush(): void | Promise<void> {
    const half = this.#half;
    const wait = this.file.write(this.position, this.buffer.subarray(half * HALF, half * HALF + this.#filled));
    this.position += this.#filled;
    this.#filled = 0;
    this.#half = half === 0 ? 1 : 0;
    if (wait !== undefined) {
      const done = wait.then(() => void (this.#writing[half] = undefined));
      this.#writing[half] = done;
      // ContentDigest to whoever waits for this half next; until then it is not unhandled.
      done.catch(() => {});
    }
    return this.#writing[this.#half];
  }
}
