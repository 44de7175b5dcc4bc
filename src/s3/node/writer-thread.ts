import { Worker } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';

/** Bytes of shared memory, to be written to an open file. */
interface Order {
  fd: number;
  position: number;
  bytes: Uint8Array;
}

/** Answers, in the order of the orders: what the order failed with, if it did. */
type Answer = NodeJS.ErrnoException | undefined;

/** Linux puts a longer write into as long a run of free memory, and looking for that costs several times what the write does. */
export const WRITE = 64 * 1024;

/** What runs in the thread. It travels as text, so that it needs no file beside a bundle, and so may use its arguments alone. */
function work(port: MessagePort, { writeSync }: typeof import('node:fs'), piece: number): void {
  port.on('message', ({ fd, position, bytes }: Order) => {
    let failure: Answer;
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at, Math.min(piece, bytes.length - at), position + at);
    } catch (error) {
      failure = error as Error;
    }
    port.postMessage(failure);
  });
}

// `__name`: what esbuild wraps functions in, to keep their names.
const CODE = `const __name = (one) => one;
(${work.toString()})(require('node:worker_threads').parentPort, require('node:fs'), ${WRITE});`;

/**
 * A thread that writes while this one receives. One alone: several that write to one file only wait for its lock, and orders that
 * queue up need no turn of this thread's loop between them. While it has nothing to do it keeps no process alive.
 */
class WriterThread {
  alive = true;
  // This process's own flags may say that such text is a module, or load half a tool chain.
  readonly #worker = new Worker(CODE, { eval: true, execArgv: [] });
  readonly #waiting: { resolve: () => void; reject: (cause: Error) => void }[] = [];

  constructor() {
    this.#worker.unref();
    this.#worker.on('message', (failure: Answer) => {
      const order = this.#waiting.shift()!;
      if (this.#waiting.length === 0) this.#worker.unref();
      if (failure === undefined) order.resolve();
      else order.reject(failure);
    });
    // Whoever waits hears of its end.
    this.#worker.on('error', () => {});
    this.#worker.once('exit', () => {
      this.alive = false;
      for (const { reject } of this.#waiting.splice(0)) reject(new Error('The thread that writes has ended.'));
    });
  }

  write(order: Order): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#worker.ref();
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(order, []);
    });
  }
}

let thread: WriterThread | undefined;

/** @param bytes of shared memory, to be left alone until this settles. @throws NodeJS.ErrnoException */
export function writeAside(fd: number, position: number, bytes: Uint8Array): Promise<void> {
  if (thread?.alive !== true) thread = new WriterThread();
  return thread.write({ fd, position, bytes });
}
