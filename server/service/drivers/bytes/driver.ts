import type { Readable } from 'node:stream';
import { BlobError } from '../../../../src/protocol/errors.js';
import { RETRY_AFTER_SECONDS } from '../../runtime/retry-after.js';

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
 * A store of blobs. A blob is immutable and has a random id (`[a-z0-9]`, 32 characters) that the caller chooses. Its meaning is in the metadata
 * only. One contract suite runs against each driver.
 */
export interface BytesDriver {
  /** Bodies of up to this many bytes should be passed whole; 0 if all bodies may stream. */
  readonly maxWholeBody: number;
  /**
   * Stores a new blob. Resolves when it survives a power cut. If it rejects or the body throws, the blob cannot be read.
   * @param body a stream or all bytes. The driver owns a chunk until it asks for the next one.
   * @param options.size expected bytes, a hint.
   * @throws `STORAGE_FULL` if the store is full; `SERVICE_UNAVAILABLE` if it does not respond. Then bytes may be left, which the caller
   * deletes later.
   */
  write(
    id: string,
    body: AsyncIterable<Uint8Array> | Uint8Array,
    options?: { size?: number; signal?: AbortSignal },
  ): Promise<void>;
  /**
   * Opens a blob, or a range of it, for reading. The stream delivers exactly the requested bytes or fails.
   * @throws BlobMissingError if the blob does not exist; BlobLengthError if its length is not `range.size`.
   */
  read(id: string, range?: BlobRange, signal?: AbortSignal): Promise<Readable>;
  /** Deletes blobs. Ignores blobs that are incomplete or do not exist. */
  delete(ids: readonly string[]): Promise<void>;
  /** Lists all blobs, complete or not, in any order. */
  list(signal?: AbortSignal): AsyncIterable<StoredBlob>;
  /** @throws if the store cannot be reached or written. A full store passes. */
  ping(signal?: AbortSignal): Promise<void>;
  /**
   * Repairs what a crash left. Only a process that is alone on the store calls it, once and before any other method. From then on the driver
   * may flush several writes together.
   */
  recover(): Promise<void>;
  close(): Promise<void>;
}

/** The store has no bytes for a blob that a row names. */
export class BlobMissingError extends Error {
  override readonly name = 'BlobMissingError';
  constructor(readonly id: string) {
    super(`blob ${id} is missing from the store`);
  }
}

/** A blob is shorter or longer than the metadata states, or the store sent another number of bytes than requested. */
export class BlobLengthError extends Error {
  override readonly name = 'BlobLengthError';
  constructor(
    readonly id: string,
    readonly kind: 'short' | 'long',
    problem: string,
  ) {
    super(`blob ${id}: ${problem}`);
  }
}

export const storeUnavailable = (cause: unknown): BlobError =>
  new BlobError('SERVICE_UNAVAILABLE', 'The object store does not respond. Try again.', {
    details: { retry_after: RETRY_AFTER_SECONDS, unavailable: 'store' },
    cause,
  });

/** @returns whether an operation failed because the store did not respond. Requests to clean up would then fail as well. */
export const isStoreUnavailable = (cause: unknown): boolean =>
  cause instanceof BlobError && cause.details['unavailable'] === 'store';
