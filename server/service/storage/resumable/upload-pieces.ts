import { BlobError, validationError } from '../../../../src/protocol/errors.js';
import type { Body } from '../types.js';

/** Smallest piece. A piece becomes durable as a whole, so a killed process loses the current piece. In bytes. */
const MIN_PIECE = 8 * 1024 * 1024;
/** Largest piece that a fast connection gets, in bytes. */
const MAX_PIECE = 64 * 1024 * 1024;
/** The size is doubled after a piece that took less time than this. */
const FAST_PIECE_MS = 500;
/** The size is halved after a piece that took more time than this. Twice `FAST_PIECE_MS`, so that a steady speed changes nothing. */
const SLOW_PIECE_MS = 2 * FAST_PIECE_MS;
/** Pieces of an upload at most, apart from those that broken connections leave. */
const MAX_PIECES = 1000;

/** Smallest average of a request in bytes, beyond the first `FREE_PIECES`. */
const MIN_AVERAGE = 64 * 1024;
/** Pieces that any upload may have, for small files and broken connections. */
const FREE_PIECES = 1000;

/**
 * Limits the pieces of an upload, because copying, finishing and deleting its file takes time for each piece.
 * @param pieces number of pieces so far. @param stored bytes so far. @throws `VALIDATION_ERROR`
 */
export function assertPiecesLeft(pieces: number, stored: number): void {
  if (pieces >= FREE_PIECES + stored / MIN_AVERAGE)
    throw validationError(
      'upload-offset',
      `was reached with ${pieces} requests, which are too small. Start the upload again with larger requests`,
      { details: { limit: pieces } },
    );
}

/** Returns the smallest piece of an upload of this length, in bytes. */
export const pieceSize = (length: number): number => Math.max(MIN_PIECE, Math.ceil(length / MAX_PIECES));

/**
 * Adapts the size of the next piece to the speed of the last one. Each piece costs a flush, so a fast connection gets larger pieces.
 * @param size bytes of the last piece. @param duration of the last piece, ms. @param smallest see `pieceSize`. @returns bytes.
 */
export function nextPieceSize(size: number, duration: number, smallest: number): number {
  if (duration > SLOW_PIECE_MS) return Math.max(smallest, size / 2);
  return duration < FAST_PIECE_MS && size < MAX_PIECE ? size * 2 : size;
}

/** After `stop`, bytes that have already arrived are still read, until a pause of `silence` and for `longest` at most. Both in milliseconds. */
const DRAIN = { silence: 50, longest: 1000 };

/**
 * Cuts the body of a request into pieces while it streams. A body that breaks off ends its piece: the bytes that arrived count, and `failure`
 * holds the reason.
 */
export class PieceCutter {
  /** The reason why the body ended early. */
  failure: { cause: unknown } | undefined;
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Uint8Array | undefined;
  #hasEnded = false;
  #interrupt: ((cause: Error) => void) | undefined;
  #stopped: { reason: Error; deadline: number } | undefined;

  constructor(body: Body) {
    this.#source = body[Symbol.asyncIterator]();
  }

  /** Ends the body after the bytes that have arrived, as if the connection had broken. */
  stop(reason: Error): void {
    this.#stopped ??= { reason, deadline: Date.now() + DRAIN.longest };
    const pending = this.#interrupt;
    setTimeout(() => {
      if (this.#interrupt === pending) pending?.(reason);
    }, DRAIN.silence);
  }

  /** Closes the body, read or not. */
  close(): void {
    this.#source.return?.().catch(() => {});
  }

  /** @returns whether at least one more byte arrives. */
  async hasMore(): Promise<boolean> {
    while (!this.#hasEnded && !this.#rest?.byteLength) await this.#pull();
    return (this.#rest?.byteLength ?? 0) > 0;
  }

  /**
   * Streams the next piece.
   * @param size bytes at most. @param isLast whether the body must end with this piece. @throws `BLOB_FILE_TOO_LARGE` if it does not.
   */
  async *piece(size: number, isLast: boolean): AsyncGenerator<Uint8Array> {
    let remaining = size;
    while (remaining > 0 && (await this.hasMore())) {
      const chunk = this.#rest!.subarray(0, remaining);
      this.#rest = this.#rest!.subarray(chunk.byteLength);
      remaining -= chunk.byteLength;
      yield chunk;
    }
    if (isLast && remaining === 0 && (await this.hasMore()))
      throw new BlobError('BLOB_FILE_TOO_LARGE', 'The upload has more bytes than its Upload-Length announced.');
  }

  async #pull(): Promise<void> {
    try {
      const next = await this.#next();
      this.#rest = next.done ? undefined : next.value;
      this.#hasEnded = next.done === true;
    } catch (cause) {
      this.failure = { cause };
      this.#rest = undefined;
      this.#hasEnded = true;
    }
  }

  async #next(): Promise<IteratorResult<Uint8Array>> {
    let silence: NodeJS.Timeout | undefined;
    try {
      return await new Promise((resolve, reject) => {
        this.#interrupt = reject;
        if (this.#stopped) {
          const { reason, deadline } = this.#stopped;
          if (Date.now() > deadline) return reject(reason);
          silence = setTimeout(() => reject(reason), DRAIN.silence);
        }
        this.#source.next().then(resolve, reject);
      });
    } finally {
      this.#interrupt = undefined;
      clearTimeout(silence);
    }
  }
}
