import { Worker } from 'node:worker_threads';
import { WorkerThreadPool } from './worker-thread.js';
import type { WorkerThread } from './worker-thread.js';

/** Messages to `hash-worker.js`. It responds to `update` and `digest`, in the order of the requests. */
export type HashRequest =
  | { type: 'open'; id: number; algorithms: readonly string[] }
  | { type: 'update'; ids: readonly number[]; bytes: Uint8Array }
  | { type: 'digest'; id: number }
  | { type: 'discard'; id: number };

/** Hex digests in the order of the algorithms; empty in response to `update`. */
export type HashResponse = string[];

const pool = new WorkerThreadPool<HashRequest, HashResponse>(
  // Bundlers recognize exactly this form and copy the file.
  () => new Worker(new URL('./hash-worker.js', import.meta.url), { execArgv: [] }),
);
let nextId = 0;

/** Computes the hashes of one body in a worker thread while the main thread receives and writes the body. */
export class ThreadedHash {
  readonly #thread: WorkerThread<HashRequest, HashResponse>;
  readonly #id = nextId++;
  #isOpen = true;

  /**
   * @param algorithms names for `crypto.createHash`.
   * @param sibling a hash whose thread is used as well, so that `update` can pass the same bytes to both.
   */
  constructor(algorithms: readonly string[], sibling?: ThreadedHash) {
    this.#thread = sibling ? sibling.#thread.retain() : pool.acquire();
    this.#thread.send({ type: 'open', id: this.#id, algorithms });
  }

  /**
   * Hashes the next bytes.
   * @param bytes shared memory. The caller must not change it until the promise resolves.
   * @param sibling receives the same bytes; it must use the same thread.
   */
  async update(bytes: Uint8Array, sibling?: ThreadedHash): Promise<void> {
    await this.#thread.request({ type: 'update', ids: sibling ? [this.#id, sibling.#id] : [this.#id], bytes });
  }

  /**
   * Ends the hash. Call it once, after the last `update`.
   * @returns hex digests in the order of the algorithms.
   */
  digests(): Promise<string[]> {
    const response = this.#thread.request({ type: 'digest', id: this.#id });
    this.#close();
    return response;
  }

  /** Frees the hash in the worker. Does nothing after `digests`. */
  discard(): void {
    if (!this.#isOpen) return;
    this.#thread.send({ type: 'discard', id: this.#id });
    this.#close();
  }

  #close(): void {
    this.#isOpen = false;
    this.#thread.release();
  }
}
