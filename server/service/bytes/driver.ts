import type { Readable } from 'node:stream';

/** A blob as a store lists it. */
export interface StoredBlob {
  id: string;
  size: number;
  /** ms since 1970. */
  changedAt: number;
}

/**
 * Where bytes lie. A blob is immutable and named by a random id (`[a-z0-9]`, 32 characters) that the caller chose; what it means stands in
 * the metadata alone. One contract suite runs against every driver.
 */
export interface BytesDriver {
  /** Bodies up to this many bytes are better handed over whole; 0: all may stream. */
  readonly atOnce: number;
  /**
   * Stores a body, streamed or whole, that did not exist before. Resolves when it survives a power cut; when it rejects or the body throws, nothing of it stays
   * readable. `size` is a hint. A chunk is the driver's until it asks for the next. A full store throws `STORAGE_FULL`.
   */
  write(
    id: string,
    body: AsyncIterable<Uint8Array> | Uint8Array,
    options?: { size?: number; signal?: AbortSignal },
  ): Promise<void>;
  /** Bytes from `start` to `end`, both inclusive; all without a range. Rejects with `BlobMissingError` when it is gone. */
  read(id: string, range?: { start: number; end: number }, signal?: AbortSignal): Promise<Readable>;
  /** Also right for a blob that is half there or was never there. */
  delete(ids: readonly string[]): Promise<void>;
  /** Everything stored, whole or half, in no order. */
  list(signal?: AbortSignal): AsyncIterable<StoredBlob>;
  /** Rejects when the store cannot be reached or written. */
  ping(signal?: AbortSignal): Promise<void>;
  /**
   * Called once, before anything else, by a process that serves the store alone: puts right what a crash left, and may from then on make
   * writes durable together.
   */
  recover(): Promise<void>;
  close(): Promise<void>;
}

export class BlobMissingError extends Error {
  override readonly name = 'BlobMissingError';
  constructor(readonly id: string) {
    super(`blob ${id} is missing from the store`);
  }
}
