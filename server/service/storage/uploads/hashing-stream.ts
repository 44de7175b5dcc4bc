import { createHash } from 'node:crypto';
import { BlobError, validationError } from '../../../../src/protocol/errors.js';
import { ThreadedHash } from '../../runtime/threads/threaded-hash.js';
import type { Body, BodyOptions, BodySummary } from '../types.js';
import { BUFFER_SIZE, BufferRing } from './buffer-ring.js';
import type { UploadHash } from './upload-hash.js';

/** Bodies that are announced to have fewer bytes are hashed in the main thread, because messages to a worker cost more. */
const MIN_THREADED_SIZE = 1024 * 1024;

const ALGORITHMS = ['sha256', 'md5'];

export interface HashingOptions extends BodyOptions {
  /** Hash of the resumable upload that this body is a piece of. It receives the same bytes. The MD5 of the piece is then left out. */
  uploadHash?: UploadHash | undefined;
}

/**
 * Passes a body on while it counts, limits and hashes it in one pass. It buffers at most 1 MiB. Receiving, hashing and reading a large body
 * run side by side. The reader owns a chunk until it asks for the next one.
 */
export class HashingStream {
  #size = 0;
  #digests: (() => Promise<string[]>) | undefined;
  #hash: ThreadedHash | undefined;
  readonly #options: HashingOptions;

  constructor(options: HashingOptions) {
    this.#options = options;
  }

  /** @throws `BLOB_FILE_TOO_LARGE` or `VALIDATION_ERROR` into the reader if the length is not the announced one. */
  passThrough(body: Body): AsyncGenerator<Uint8Array> {
    const { size = MIN_THREADED_SIZE, uploadHash } = this.#options;
    return size < MIN_THREADED_SIZE && !uploadHash ? this.#hashInMainThread(body) : this.#hashInWorker(body);
  }

  async *#hashInMainThread(body: Body): AsyncGenerator<Uint8Array> {
    const hashes = ALGORITHMS.map((name) => createHash(name));
    for await (const chunk of body) {
      this.#count(chunk);
      for (const hash of hashes) hash.update(chunk);
      yield chunk;
    }
    assertLength(this.#size, this.#options, true);
    this.#digests = async () => hashes.map((hash) => hash.digest('hex'));
  }

  async *#hashInWorker(body: Body): AsyncGenerator<Uint8Array> {
    const { uploadHash } = this.#options;
    const source = body[Symbol.asyncIterator]();
    const ring = new BufferRing();
    void this.#fill(ring, source);
    try {
      let buffer = await ring.takeFilled();
      // A body of one buffer needs no worker.
      if (ring.isDrained && !uploadHash) {
        const bytes = buffer ?? new Uint8Array();
        this.#digests = async () => ALGORITHMS.map((name) => createHash(name).update(bytes).digest('hex'));
        if (buffer) yield buffer;
        return;
      }
      const hash = (this.#hash = new ThreadedHash(uploadHash ? ['sha256'] : ALGORITHMS, uploadHash?.hashes));
      for (; buffer; buffer = await ring.takeFilled()) {
        const filled = buffer;
        // The digests report a failure of the worker.
        const hashed = hash.update(filled, uploadHash?.hashes).catch(() => {});
        if (uploadHash) uploadHash.size += filled.byteLength;
        yield filled;
        void hashed.then(() => ring.recycle(filled));
      }
      this.#digests = () => hash.digests();
    } finally {
      if (!this.#digests) {
        this.discard();
        ring.end(new Error('the reader of this body has stopped'));
        // Not awaited, because it may wait for a chunk that never arrives.
        void source.return?.()?.catch(() => {});
      }
    }
  }

  /** Copies the body into the ring, ahead of the reader. */
  async #fill(ring: BufferRing, source: AsyncIterator<Uint8Array>): Promise<void> {
    try {
      let buffer: Buffer | undefined;
      let used = 0;
      for (let next = await source.next(); !next.done; next = await source.next()) {
        this.#count(next.value);
        let rest = next.value;
        while (rest.byteLength > 0) {
          buffer ??= await ring.takeEmpty();
          if (!buffer) return;
          const piece = rest.subarray(0, BUFFER_SIZE - used);
          buffer.set(piece, used);
          used += piece.byteLength;
          rest = rest.subarray(piece.byteLength);
          if (used < BUFFER_SIZE) continue;
          ring.putFilled(buffer);
          buffer = undefined;
          used = 0;
        }
      }
      assertLength(this.#size, this.#options, true);
      if (buffer) ring.putFilled(buffer.subarray(0, used));
      ring.end();
    } catch (cause) {
      ring.end(cause);
      void source.return?.()?.catch(() => {});
    }
  }

  #count(chunk: Uint8Array): void {
    const { hashers, signal } = this.#options;
    signal?.throwIfAborted();
    this.#size += chunk.byteLength;
    assertLength(this.#size, this.#options);
    if (hashers) for (const hasher of Object.values(hashers)) hasher.update(chunk);
  }

  /** Reads a body to its end and keeps nothing of it. */
  async readAll(body: Body): Promise<BodySummary> {
    // oxlint-disable-next-line no-unused-vars -- the loop only reads
    for await (const _ of this.passThrough(body));
    return this.summary();
  }

  /** Frees the hash in the worker. Does nothing after `summary`. */
  discard(): void {
    this.#hash?.discard();
  }

  /** Returns length and hashes. Call it once, after the last byte. */
  async summary(): Promise<BodySummary> {
    const { hashers = {} } = this.#options;
    const [sha256 = '', md5 = ''] = await this.#digests!();
    const checksums = Object.fromEntries(Object.entries(hashers).map(([name, hasher]) => [name, hasher.digest()]));
    return { size: this.#size, sha256, md5, checksums };
  }
}

/**
 * Compares the received bytes of a body with its announced length and its limit.
 * @param isComplete whether the body has ended. @throws `BLOB_FILE_TOO_LARGE`, `VALIDATION_ERROR`.
 */
export function assertLength(received: number, { size, maxSize }: BodyOptions, isComplete = false): void {
  if (maxSize !== undefined && received > maxSize) throw tooLarge(maxSize);
  if (size === undefined) return;
  if (isComplete ? received !== size : received > size)
    throw validationError('body', `must have the announced length of ${size} bytes`);
}

export const tooLarge = (maxSize: number) =>
  new BlobError('BLOB_FILE_TOO_LARGE', `The file is larger than ${maxSize} bytes.`, { details: { max_size: maxSize } });
