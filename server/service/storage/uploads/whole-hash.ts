import { ThreadedHash } from '../../runtime/threads/threaded-hash.js';
import type { BodyFacts } from '../types.js';

/** Hashes of a whole that arrives in pieces, up to `size` bytes. */
export class WholeHash {
  size = 0;
  readonly lane = new ThreadedHash(['sha256', 'md5']);

  /** Once. */
  async facts(): Promise<BodyFacts> {
    const [sha256 = '', md5 = ''] = await this.lane.digests();
    return { size: this.size, sha256, md5, checksums: {} };
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
    if (hash?.size === offset) return hash;
    hash?.lane.discard();
    return undefined;
  }

  /** Keeps one that is right up to an offset. */
  keep(id: string, hash: WholeHash | undefined, offset: number): void {
    if (hash?.size !== offset) return hash?.lane.discard();
    this.#waiting.set(id, hash);
    if (this.#waiting.size <= KEPT) return;
    const [oldest, { lane }] = this.#waiting.entries().next().value!;
    lane.discard();
    this.#waiting.delete(oldest);
  }

  /** Forgets the one of an upload that has ended without it. */
  drop(id: string): void {
    this.#waiting.get(id)?.lane.discard();
    this.#waiting.delete(id);
  }
}
