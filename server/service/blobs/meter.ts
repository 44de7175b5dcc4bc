import { createHash } from 'node:crypto';
import { BlobError, invalid } from '../../../src/protocol/errors.js';
import type { Body, BodyFacts, BodyOptions } from './types.js';

/** Passes a body on while it counts, limits and hashes it: one pass, nothing kept. */
export class Meter {
  #size = 0;
  readonly #sha256 = createHash('sha256');
  readonly #md5 = createHash('md5');
  readonly #options: BodyOptions;

  constructor(options: BodyOptions) {
    this.#options = options;
  }

  async *through(body: Body): AsyncGenerator<Uint8Array> {
    const { size, maxSize, hashers = {}, signal } = this.#options;
    const others = Object.values(hashers);
    for await (const chunk of body) {
      signal?.throwIfAborted();
      this.#size += chunk.byteLength;
      if (maxSize !== undefined && this.#size > maxSize) throw tooLarge(maxSize);
      if (size !== undefined && this.#size > size) throw wrongLength(size);
      this.#sha256.update(chunk);
      this.#md5.update(chunk);
      for (const hasher of others) hasher.update(chunk);
      yield chunk;
    }
    if (size !== undefined && this.#size !== size) throw wrongLength(size);
  }

  /** Reads a body for what it is and keeps nothing of it. */
  async measure(body: Body): Promise<BodyFacts> {
    // oxlint-disable-next-line no-unused-vars -- reading it is all there is to do
    for await (const _ of this.through(body));
    return this.facts();
  }

  /** After the last byte, once. */
  facts(): BodyFacts {
    const { hashers = {} } = this.#options;
    return {
      size: this.#size,
      sha256: this.#sha256.digest('hex'),
      md5: this.#md5.digest('hex'),
      checksums: Object.fromEntries(Object.entries(hashers).map(([name, hasher]) => [name, hasher.digest()])),
    };
  }
}

export const tooLarge = (maxSize: number) =>
  new BlobError('BLOB_FILE_TOO_LARGE', `The file is larger than ${maxSize} bytes.`, { details: { max_size: maxSize } });

const wrongLength = (size: number) => invalid('body', `has another length than the ${size} bytes announced`);
