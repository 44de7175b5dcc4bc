import { Worker } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { fileMaker, here, ORDINARY } from './file-maker.js';
import type { FileMaker, WholeFile } from './file-maker.js';

/** Bytes of shared memory, to be written to an open file; or a file to be made of them. */
type Order = { fd: number; position: number; bytes: Uint8Array } | WholeFile;

/** Answers, in the order of the orders: what the order failed with, or what came of it. Errors lose their code on the way. */
type Answer = { failure: Error; code: string | undefined } | { made: bigint | undefined };

interface Errand {
  order: Order;
  resolve: (made: bigint | undefined) => void;
  reject: (cause: unknown) => void;
}

/** What runs in the thread. It travels as text, so that it needs no file beside a bundle, and so may use its arguments alone. */
function work(port: MessagePort, { write, make }: FileMaker): void {
  const carryOut = (order: Order): Answer => {
    try {
      return { made: 'fd' in order ? void write(order.fd, order.position, order.bytes) : make(order) };
    } catch (failure) {
      return { failure: failure as Error, code: (failure as NodeJS.ErrnoException).code };
    }
  };
  port.on('message', (orders: Order[]) => port.postMessage(orders.map(carryOut)));
}

// `__name`: what esbuild wraps functions in, to keep their names.
const CODE = `const __name = (one) => one;
(${work.toString()})(require('node:worker_threads').parentPort, (${fileMaker.toString()})(require('node:fs'), ${ORDINARY}));`;

/** A thread costs as much to start as writing so much, in bytes of large files. */
const WORTH = 12 * 1024 * 1024;
/** What an order costs beside its bytes, in bytes. */
const ORDER = 128 * 1024;

/**
 * A thread that writes while this one receives. One alone: several that write to one file only wait for its lock, and orders that
 * queue up need no turn of this thread's loop between them. While it has nothing to do it keeps no process alive.
 */
class WriterThread {
  // This process's own flags may say that such text is a module, or load half a tool chain.
  readonly #worker = new Worker(CODE, { eval: true, execArgv: [] });
  readonly #sent: Errand[] = [];
  /** Small files of this turn of the loop: a message costs as much as making one. */
  #gathered: Errand[] = [];
  /** Whether it takes orders: while it starts, and when it has ended, this thread does what there is to do. */
  ready = false;

  constructor() {
    // Until then it holds the process: Node may wait for ever for a thread that it ends in mid-start.
    this.#worker.once('online', () => {
      this.ready = true;
      this.#worker.unref();
    });
    this.#worker.on('message', (answers: Answer[]) => {
      const done = this.#sent.splice(0, answers.length);
      if (this.#sent.length === 0) this.#worker.unref();
      for (const [at, { resolve, reject }] of done.entries()) {
        const answer = answers[at]!;
        if ('failure' in answer) reject(Object.assign(answer.failure, { code: answer.code }));
        else resolve(answer.made);
      }
    });
    this.#worker.on('error', () => {});
    this.#worker.once('exit', () => {
      this.ready = false;
      // Whatever it came to do of these, doing it again makes the same.
      this.#sent.splice(0).forEach(doErrand);
    });
  }

  do(order: Order): Promise<bigint | undefined> {
    return new Promise((resolve, reject) => {
      const errand = { order, resolve, reject };
      if ('fd' in order) this.#send([errand]);
      else if (this.#gathered.push(errand) === 1) setImmediate(() => this.#send(this.#gathered.splice(0)));
    });
  }

  #send(errands: Errand[]): void {
    if (!this.ready) return errands.forEach(doErrand);
    this.#worker.ref();
    this.#sent.push(...errands);
    this.#worker.postMessage(
      errands.map(({ order }) => order),
      [],
    );
    return undefined;
  }
}

const doHere = (order: Order): bigint | undefined =>
  'fd' in order ? void here.write(order.fd, order.position, order.bytes) : here.make(order);

function doErrand({ order, resolve, reject }: Errand): void {
  try {
    resolve(doHere(order));
  } catch (error) {
    reject(error);
  }
}

/** `null` where none can be made. */
let thread: WriterThread | null | undefined;
/** Bytes, and orders as bytes, that were written before there was a thread. */
let written = 0;

/**
 * Writes bytes to an open file, or makes a file of them: by the thread where there is much to do, at once else. They are of shared
 * memory, to be left alone until this settles.
 * @returns what `make` of `fileMaker` does. @throws NodeJS.ErrnoException
 */
export function carryOut(order: Order): bigint | undefined | Promise<bigint | undefined> {
  if (thread === undefined && (written += ORDER + order.bytes.length) > WORTH)
    try {
      thread = new WriterThread();
    } catch {
      // A limit of the system, or of what this process may do.
      thread = null;
    }
  return thread?.ready ? thread.do(order) : doHere(order);
}
