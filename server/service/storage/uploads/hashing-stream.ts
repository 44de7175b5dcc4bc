import { createHash } from 'node:crypto';
import { BlobError, invalid } from '../../../../src/protocol/errors.js';
import { ThreadedHash } from '../../runtime/threads/threaded-hash.js';
import { BUFFER_SIZE, BufferRing } from './buffer-ring.js';
import type { Body, BodySummary, BodyOptions } from '../types.js';
import type { UploadHash } from './upload-hash.js';

/** Bodies announced to be shorter are hashed where they are received: to hand them to another thread costs more. */
const MIN_THREADED_SIZE = 1024 * 1024;

export interface HashingOptions extends BodyOptions {
  /** The hash of a whole that this body is a piece of: fed the same bytes, and the piece's own MD5, which nobody asks for, is left out. */
  whole?: UploadHash | undefined;
}

/**
 * Passes a body on while it counts, limits and hashes it: one pass, and no more of it in memory than a few slabs. Of a large one, receiving,
 * hashing and whatever the reader does with it go on side by side. A chunk is the reader's until it asks for the next.
 */
export class HashingStream {
  #size = 0;
  #digests: (() => Promise<string[]>) | undefined;
  #lane: ThreadedHash | undefined;
  readonly #options: HashingOptions;

  constructor(options: HashingOptions) {
    this.#options = options;
  }

  passThrough(body: Body): AsyncGenerator<Uint8Array> {
    return (this.#options.size ?? MIN_THREADED_SIZE) < MIN_THREADED_SIZE && !this.#options.whole
      ? this.#hashInMainThread(body)
      : this.#hashInWorker(body);
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
    const { whole } = this.#options;
    const source = body[Symbol.asyncIterator]();
    const slabs = new BufferRing();
    void this.#fill(slabs, source);
    try {
      let slab = await slabs.takeFilled();
      // One that turned out to be short needs no other thread.
      if (slabs.isDrained && !whole) {
        const bytes = slab ?? new Uint8Array();
        this.#digests = async () => ALGORITHMS.map((name) => createHash(name).update(bytes).digest('hex'));
        if (slab) yield slab;
        return;
      }
      const own = (this.#lane = new ThreadedHash(whole ? ['sha256'] : ALGORITHMS, whole?.hashes));
      for (; slab; slab = await slabs.takeFilled()) {
        const filled = slab;
        // That it failed is told by the digests, which wait for it.
        const hashed = own.update(filled, whole?.hashes).catch(() => {});
        if (whole) whole.size += filled.byteLength;
        yield filled;
        void hashed.then(() => slabs.recycle(filled));
      }
      this.#digests = () => own.digests();
    } finally {
      if (!this.#digests) {
        this.discard();
        slabs.end(new Error('nobody reads this body any more'));
        // Not awaited: it may wait for the very chunk that does not come.
        void source.return?.()?.catch(() => {});
      }
    }
  }

  /** Reads ahead of whoever takes the slabs. */
  async #fill(slabs: BufferRing, source: AsyncIterator<Uint8Array>): Promise<void> {
    try {
      let slab: Buffer | undefined;
      let used = 0;
      for (let next = await source.next(); !next.done; next = await source.next()) {
        this.#count(next.value);
        for (let rest = next.value; rest.byteLength > 0;) {
          slab ??= await slabs.takeEmpty();
          if (!slab) return;
          const piece = rest.subarray(0, BUFFER_SIZE - used);
          slab.set(piece, used);
          used += piece.byteLength;
          rest = rest.subarray(piece.byteLength);
          if (used < BUFFER_SIZE) continue;
          slabs.putFilled(slab);
          slab = undefined;
          used = 0;
        }
      }
      assertLength(this.#size, this.#options, true);
      if (slab) slabs.putFilled(slab.subarray(0, used));
      slabs.end();
    } catch (cause) {
      slabs.end(cause);
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

  /** Reads a body for what it is and keeps nothing of it. */
  async readAll(body: Body): Promise<BodySummary> {
    // oxlint-disable-next-line no-unused-vars -- reading it is all there is to do
    for await (const _ of this.passThrough(body));
    return this.summary();
  }

  /** Forgets a body whose facts nobody will ask for. Right also after they were. */
  discard(): void {
    this.#lane?.discard();
  }

  /** After the last byte, once. */
  async summary(): Promise<BodySummary> {
    const { hashers = {} } = this.#options;
    const [sha256 = '', md5 = ''] = await this.#digests!();
    const checksums = Object.fromEntries(Object.entries(hashers).map(([name, hasher]) => [name, hasher.digest()]));
    return { size: this.#size, sha256, md5, checksums };
  }
}

const ALGORITHMS = ['sha256', 'md5'];

/** Judges how much has come of a body and, when that is all, whether it is enough. @throws `BLOB_FILE_TOO_LARGE`, `VALIDATION_ERROR`. */
export function assertLength(come: number, { size, maxSize }: BodyOptions, isAll = false): void {
  if (maxSize !== undefined && come > maxSize) throw tooLarge(maxSize);
  if (size !== undefined && (isAll ? come !== size : come > size))
    throw invalid('body', `has another length than the ${size} bytes announced`);
}

export const tooLarge = (maxSize: number) =>
  new BlobError('BLOB_FILE_TOO_LARGE', `The file is larger than ${maxSize} bytes.`, { details: { max_size: maxSize } });
