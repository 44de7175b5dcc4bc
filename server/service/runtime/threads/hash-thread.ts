import { hashWorker } from './hash-worker.js';
import type { HashAnswer, HashOrder } from './hash-worker.js';
import { Threads } from './worker-thread.js';
import type { Thread } from './worker-thread.js';

const threads = new Threads<HashOrder, HashAnswer>(hashWorker);
let opened = 0;

/** Hashes of one body, made in another thread while this one receives and writes. */
export class HashLane {
  readonly #thread: Thread<HashOrder, HashAnswer>;
  readonly #id = opened++;
  #open = true;

  /** `beside`: in the thread of this lane, so that both can be fed the same bytes. */
  constructor(algorithms: readonly string[], beside?: HashLane) {
    this.#thread = beside ? beside.#thread : threads.quietest();
    this.#thread.users += 1;
    this.#thread.tell({ open: this.#id, algorithms });
  }

  /** @param bytes of shared memory, to be left alone until this resolves. @param also another lane of the same thread. */
  async update(bytes: Uint8Array, also?: HashLane): Promise<void> {
    await this.#thread.ask({ lanes: also ? [this.#id, also.#id] : [this.#id], bytes });
  }

  /** After the last byte, once: hex, in the order of the algorithms. */
  async digests(): Promise<string[]> {
    const answer = this.#thread.ask({ end: this.#id });
    this.#close();
    return ((await answer) as { digests: string[] }).digests;
  }

  /** Forgets it. Right also when it has ended. */
  drop(): void {
    if (!this.#open) return;
    this.#thread.tell({ drop: this.#id });
    this.#close();
  }

  #close(): void {
    this.#open = false;
    this.#thread.users -= 1;
  }
}
