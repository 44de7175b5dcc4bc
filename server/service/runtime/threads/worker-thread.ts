import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { startWorker } from './start-worker.js';
import type { Tools } from './start-worker.js';

/** More threads of a kind than this only push the receiving one off its core. */
const MOST = Math.min(4, availableParallelism());

/** A thread, and whoever waits for its answers, in their order. */
export class Thread<Order, Answer> {
  /** How many use it. */
  users = 0;
  /** Whether it can be given work. */
  alive = true;
  readonly #worker: Worker;
  readonly #waiting: { resolve: (answer: Answer) => void; reject: (cause: Error) => void }[] = [];

  constructor(work: (tools: Tools) => void) {
    this.#worker = startWorker(work);
    this.#worker.on('message', (answer: Answer) => {
      this.#waiting.shift()!.resolve(answer);
      if (this.#waiting.length === 0) this.#worker.unref();
    });
    let failure: Error | undefined;
    this.#worker.once('error', (cause: Error) => (failure = cause));
    // To listen to a worker is to keep the process for it.
    this.#worker.unref();
    this.#worker.once('exit', () => {
      this.alive = false;
      for (const { reject } of this.#waiting.splice(0)) reject(ended(failure));
    });
  }

  /** An order without an answer. */
  tell(order: Order): void {
    this.#worker.postMessage(order, []);
  }

  ask(order: Order): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (!this.alive) throw ended();
      this.#worker.ref();
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(order, []);
    });
  }
}

const ended = (cause?: Error) => new Error('a thread of the service has ended', { cause });

/** Threads of one kind, started as they are needed. */
export class Threads<Order, Answer> {
  #threads: Thread<Order, Answer>[] = [];

  constructor(private readonly work: (tools: Tools) => void) {}

  /** The one with the least to do; another one while there are cores for it. */
  quietest(): Thread<Order, Answer> {
    this.#threads = this.#threads.filter(({ alive }) => alive);
    const least = this.#threads.toSorted((a, b) => a.users - b.users)[0];
    if (least && (least.users === 0 || this.#threads.length >= MOST)) return least;
    const fresh = new Thread<Order, Answer>(this.work);
    this.#threads.push(fresh);
    return fresh;
  }
}
