import { ThreadedHash } from '../../runtime/threads/threaded-hash.js';
import type { BodySummary } from '../types.js';

/** Hashes of a resumable upload, computed while its bytes arrive over several requests. */
export class UploadHash {
  /** Bytes that the hashes include. */
  size = 0;
  readonly hashes = new ThreadedHash(['sha256', 'md5']);

  /** Ends the hashes. Call it once. */
  async summary(): Promise<BodySummary> {
    const [sha256 = '', md5 = ''] = await this.hashes.digests();
    return { size: this.size, sha256, md5, checksums: {} };
  }
}

/** Uploads that wait for their next request. Beyond this number the oldest hash is discarded. */
const MAX_WAITING = 1000;

/**
 * Hashes of the uploads that this process has received from their first byte. An upload that is not here, because another replica received a
 * part of it or the service was restarted, is read from the store when it finishes.
 */
export class UploadHashes {
  readonly #waiting = new Map<string, UploadHash>();

  /** Removes and returns the hash of an upload if it includes exactly the bytes before `offset`. Starts a hash at offset 0. */
  take(id: string, offset: number): UploadHash | undefined {
    const hash = this.#waiting.get(id) ?? (offset === 0 ? new UploadHash() : undefined);
    this.#waiting.delete(id);
    if (hash?.size === offset) return hash;
    hash?.hashes.discard();
    return undefined;
  }

  /** Keeps the hash of an upload for its next request if it includes exactly the bytes before `offset`. */
  keep(id: string, hash: UploadHash | undefined, offset: number): void {
    if (hash?.size !== offset) {
      hash?.hashes.discard();
      return;
    }
    this.#waiting.set(id, hash);
    if (this.#waiting.size <= MAX_WAITING) return;
    const [oldestId, oldest] = this.#waiting.entries().next().value!;
    oldest.hashes.discard();
    this.#waiting.delete(oldestId);
  }

  /** Discards the hash of an upload that ended. */
  discard(id: string): void {
    this.#waiting.get(id)?.hashes.discard();
    this.#waiting.delete(id);
  }
}
