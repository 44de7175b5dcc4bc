import type { Readable } from 'node:stream';
import { BlobError } from '../../../../src/protocol/errors.js';

/** A blob as a store lists it. */
export interface StoredBlob {
  id: string;
  size: number;
  /** ms since 1970. */
  changedAt: number;
}

/** First and last byte of a blob, both inclusive. */
export interface BlobRange {
  start: number;
  end: number;
  /** Length of the whole blob as the metadata states it. */
  size?: number;
}

/**
 * Where bytes lie. A blob is immutable and named by a random id (`[a-z0-9]`, 32 characters) that the caller chose; what it means stands in
 * the metadata alone. One contract suite runs against every driver.
 */
export interface BytesDriver {
  /** Bodies up to this many bytes are better handed over whole; 0: all may stream. */
  readonly maxWholeBody: number;
  /**
   * Stores a body, streamed or whole, that did not exist before. Resolves when it survives a power cut; when it rejects or the body throws, nothing of it stays
   * readable. `size` is a hint. A chunk is the driver's until it asks for the next. A full store throws `STORAGE_FULL`, and one that
   * does not answer throws `SERVICE_UNAVAILABLE`: then bytes of it may be left, which the caller deletes later.
   */
  write(
    id: string,
    body: AsyncIterable<Uint8Array> | Uint8Array,
    options?: { size?: number; signal?: AbortSignal },
  ): Promise<void>;
  /**
   * Bytes from `start` to `end`, both inclusive; all without a range. The stream gives exactly as many bytes or fails. Rejects with
   * `BlobMissingError` when the blob is gone, and with `BlobLengthError` when its length is not `range.size`.
   */
  read(id: string, range?: BlobRange, signal?: AbortSignal): Promise<Readable>;
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

/** A stored blob is shorter or longer than the metadata states, or the store sent another number of bytes than it was asked for. */
export class BlobLengthError extends Error {
  override readonly name = 'BlobLengthError';
  constructor(
    readonly id: string,
    readonly kind: 'short' | 'long',
    what: string,
  ) {
    super(`blob ${id}: ${what}`);
  }
}

/** Seconds after which a client tries again when the store did not answer. */
const RETRY_AFTER = 5;

export const storeUnavailable = (cause: unknown): BlobError =>
  new BlobError('SERVICE_UNAVAILABLE', 'The object store does not answer. Try again.', {
    details: { retry_after: RETRY_AFTER, unavailable: 'store' },
    cause,
  });

/** Whether an operation failed because the store did not answer, so that asking it to clean up would only take as long again. */
export const isStoreUnavailable = (cause: unknown): boolean =>
  cause instanceof BlobError && cause.details['unavailable'] === 'store';
