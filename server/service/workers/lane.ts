import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { hashWorker } from './hash-worker.js';
import type { HashAnswer, HashOrder } from './hash-worker.js';
import { startWorker } from './start.js';

/** More threads than this only push the receiving ones off their cores. */
const MOST = Math.min(4, availableParallelism());

/** A thread that hashes, and whoever waits for its answers, in their order. */
class HashThread {
  lanes = 0;
  /** Whether it can be given work. */
  alive = true;
  readonly #worker: Worker = startWorker(hashWorker);
  readonly #waiting: { resolve: (answer: HashAnswer) => void; reject: (cause: Error) => void }[] = [];

  constructor() {
    this.#worker.on('message', (answer: HashAnswer) => {
      this.#waiting.shift()!.resolve(answer);
      if (this.#waiting.length === 0) this.#worker.unref();
    });
    this.#worker.once('exit', () => {
      this.alive = false;
      for (const { reject } of this.#waiting.splice(0)) reject(ended());
    });
  }

  tell(order: HashOrder): void {
    this.#worker.postMessage(order, []);
  }

  ask(order: HashOrder): Promise<HashAnswer> {
    return new Promise((resolve, reject) => {
      if (!this.alive) throw ended();
      this.#worker.ref();
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(order, []);
    });
  }
}

const ended = () => new Error('the thread that hashes has ended');

let threads: HashThread[] = [];
let opened = 0;

/** The thread with the least to do; another one while there are cores for it. */
function quietest(): HashThread {
  threads = threads.filter(({ alive }) => alive);
  const least = threads.toSorted((a, b) => a.lanes - b.lanes)[0];
  if (least && (least.lanes === 0 || threads.length >= MOST)) return least;
  const fresh = new HashThread();
  threads.push(fresh);
  return fresh;
}

/** Hashes of one body, made in another thread while this one receives and writes. */
export class HashLane {
  readonly #thread: HashThread;
  readonly #id = opened++;
  #open = true;

  /** `beside`: in the thread of this lane, so that both can be fed the same bytes. */
  constructor(algorithms: readonly string[], beside?: HashLane) {
    this.#thread = beside ? beside.#thread : quietest();
    this.#thread.lanes += 1;
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
    this.#thread.lanes -= 1;
  }
}
