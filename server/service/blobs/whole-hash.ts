import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import type { BodyFacts } from './types.js';

/** Hashes of a whole that arrives in pieces, up to `size` bytes. */
export class WholeHash {
  size = 0;
  readonly #sha256: Hash = createHash('sha256');
  readonly #md5: Hash = createHash('md5');

  update(chunk: Uint8Array): void {
    this.size += chunk.byteLength;
    this.#sha256.update(chunk);
    this.#md5.update(chunk);
  }

  /** Once. */
  facts(): BodyFacts {
    return { size: this.size, sha256: this.#sha256.digest('hex'), md5: this.#md5.digest('hex'), checksums: {} };
  }
}

/** Uploads whose hashes wait for the next piece; the oldest is forgotten first. */
const KEPT = 1000;

/**
 * Hashes of uploads that this process saw from their first byte. Only a shortcut: what is not here (another replica, a restart) is read again
 * from the store at the end.
 */
export class WholeHashes {
  readonly #waiting = new Map<string, WholeHash>();

  /** Takes it out, if it stands exactly at this offset. */
  take(id: string, offset: number): WholeHash | undefined {
    const hash = this.#waiting.get(id) ?? (offset === 0 ? new WholeHash() : undefined);
    this.#waiting.delete(id);
    return hash?.size === offset ? hash : undefined;
  }

  keep(id: string, hash: WholeHash): void {
    this.#waiting.set(id, hash);
    if (this.#waiting.size > KEPT) this.#waiting.delete(this.#waiting.keys().next().value!);
  }
}
