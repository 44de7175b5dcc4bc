import { BlobError, invalid } from '../../../../src/protocol/errors.js';
import type { Body } from '../types.js';

/**
 * Bytes that become durable together: a kill loses the piece under way. That is the least size, or more where it comes within about a second; of
 * a line that has just grown slow, the one piece of up to `MOST` that was begun before.
 */
const MIN_PIECE = 8 * 1024 * 1024;
const MAX_PIECE = 64 * 1024 * 1024;
/** ms. Twice the size takes twice as long: what grew is not halved at the same speed. */
const FAST_PIECE = 500;
const SLOW_PIECE = 2 * FAST_PIECE;
/** So many pieces at most, but for those that broken connections leave. */
const MAX_PIECES = 1000;

/** Requests may be as small as this on average. Bytes. */
const MIN_AVERAGE = 64 * 1024;
/** Beside these, which leave room for small files and broken connections. Without bytes to match, more would make every copy of the file costly. */
const FREE_PIECES = 1000;

/**
 * Bounds the pieces of an upload: finishing, listing and deleting its file takes time for each of them, and nothing else is answered meanwhile.
 * @param pieces so far. @param stored bytes so far. @throws `VALIDATION_ERROR`
 */
export function assertPiecesLeft(pieces: number, stored: number): void {
  if (pieces >= FREE_PIECES + stored / MIN_AVERAGE)
    throw invalid(
      'upload-offset',
      `is reached in ${pieces} requests, which are too small: begin the upload anew with larger ones`,
      {
        limit: pieces,
      },
    );
}

export const pieceSize = (length: number): number => Math.max(MIN_PIECE, Math.ceil(length / MAX_PIECES));

/** What comes fast is cut into larger pieces: each costs a flush, during which nothing is read. @param took ms. @param least `pieceSize`. */
export function nextPieceSize(size: number, took: number, least: number): number {
  if (took > SLOW_PIECE) return Math.max(least, size / 2);
  return took < FAST_PIECE && size < MAX_PIECE ? size * 2 : size;
}

/** What has arrived when a body is stopped is still read: this long a silence ends it, and this long a stream that never pauses. ms. */
const DRAIN = { silence: 50, longest: 1000 };

/**
 * Cuts one request's body into pieces while it streams. A body that breaks ends its piece: what has arrived counts, and `failure` says why no
 * more came.
 */
export class PieceCutter {
  /** Why the body ended early. */
  failure: { cause: unknown } | undefined;
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Uint8Array | undefined;
  #ended = false;
  #interrupt: ((cause: Error) => void) | undefined;
  #stopped: { why: Error; deadline: number } | undefined;

  constructor(body: Body) {
    this.#source = body[Symbol.asyncIterator]();
  }

  /** Ends the body behind what has arrived, as if the connection had broken there. */
  stop(why: Error): void {
    this.#stopped ??= { why, deadline: Date.now() + DRAIN.longest };
    const pending = this.#interrupt;
    setTimeout(() => {
      if (this.#interrupt === pending) pending?.(why);
    }, DRAIN.silence);
  }

  /** Lets go of what was not read. */
  close(): void {
    this.#source.return?.().catch(() => {});
  }

  /** Whether there is at least one byte more. */
  async hasMore(): Promise<boolean> {
    while (!this.#ended && !this.#rest?.byteLength) await this.#pull();
    return (this.#rest?.byteLength ?? 0) > 0;
  }

  /** The next piece of at most `size` bytes; `last`: the body must not go on behind it. @throws `BLOB_FILE_TOO_LARGE` into its reader. */
  async *piece(size: number, last: boolean): AsyncGenerator<Uint8Array> {
    let left = size;
    while (left > 0 && (await this.hasMore())) {
      const chunk = this.#rest!.subarray(0, left);
      this.#rest = this.#rest!.subarray(chunk.byteLength);
      left -= chunk.byteLength;
      yield chunk;
    }
    if (last && left === 0 && (await this.hasMore()))
      throw new BlobError('BLOB_FILE_TOO_LARGE', 'There are more bytes than Upload-Length announced.');
  }

  async #pull(): Promise<void> {
    try {
      const next = await this.#next();
      this.#rest = next.done ? undefined : next.value;
      this.#ended = next.done === true;
    } catch (cause) {
      this.failure = { cause };
      this.#rest = undefined;
      this.#ended = true;
    }
  }

  async #next(): Promise<IteratorResult<Uint8Array>> {
    let silence: NodeJS.Timeout | undefined;
    try {
      return await new Promise((resolve, reject) => {
        this.#interrupt = reject;
        if (this.#stopped) {
          const { why, deadline } = this.#stopped;
          if (Date.now() > deadline) return reject(why);
          silence = setTimeout(() => reject(why), DRAIN.silence);
        }
        this.#source.next().then(resolve, reject);
      });
    } finally {
      this.#interrupt = undefined;
      clearTimeout(silence);
    }
  }
}
