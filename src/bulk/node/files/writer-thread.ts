import { Worker } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { fileMaker, here, ORDINARY } from './file-maker.js';
import type { FileMaker } from './file-maker.js';

type Task = 'open' | 'write' | 'finish' | 'make';
/** Which function of `fileMaker`, and what with. Bytes are of shared memory. */
type Order = { [Name in Task]: [Name, ...Parameters<FileMaker[Name]>] }[Task];
type Outcome<Name extends Task = Task> = ReturnType<FileMaker[Name]>;

/** Answers, in the order of the orders: what the order failed with, or what came of it. Errors lose their code on the way. */
type Answer = { failure: Error; code: string | undefined } | { outcome: Outcome };

interface Errand {
  order: Order;
  resolve: (outcome: Outcome) => void;
  reject: (cause: unknown) => void;
}

const call = (maker: FileMaker, [name, ...given]: Order): Outcome => (maker[name] as (...given: unknown[]) => Outcome)(...given);

/** What runs in the thread. It travels as text, so that it needs no file beside a bundle, and so may use its arguments alone. */
function work(port: MessagePort, maker: FileMaker, doOrder: typeof call): void {
  const answer = (order: Order): Answer => {
    try {
      return { outcome: doOrder(maker, order) };
    } catch (failure) {
      return { failure: failure as Error, code: (failure as NodeJS.ErrnoException).code };
    }
  };
  port.on('message', (orders: Order[]) => port.postMessage(orders.map(answer)));
}

// `__name`: what esbuild wraps functions in, to keep their names.
const CODE = `const __name = (one) => one;
(${work.toString()})(require('node:worker_threads').parentPort, (${fileMaker.toString()})(require('node:fs'), ${ORDINARY}), ${call.toString()});`;

/** A thread costs as much to start as writing so much, in bytes of large files. */
const WORTH = 12 * 1024 * 1024;
/** What an order costs beside its bytes, in bytes. */
const ORDER = 128 * 1024;

/**
 * A thread that writes while this one receives. One alone: several that write to one file only wait for its lock, and orders that
 * queue up need no turn of this thread's loop between them. While it has nothing to do it keeps no process alive.
 */
class WriterThread {
  // This process's own flags may say that such text is a module, or load half a tool chain. Files that are opened there are closed here.
  readonly #worker = new Worker(CODE, { eval: true, execArgv: [], trackUnmanagedFds: false });
  readonly #sent: Errand[] = [];
  /** What is small of this turn of the loop: a message costs as much as making a file. */
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
        else resolve(answer.outcome);
      }
    });
    this.#worker.on('error', () => {});
    this.#worker.once('exit', () => {
      this.ready = false;
      for (const errand of this.#sent.splice(0)) {
        // What it had closed may be another file's number by now; whatever it came to do of the others, doing it again makes the same.
        if (errand.order[0] === 'finish') errand.reject(new Error('the thread that writes has ended'));
        else doErrand(errand);
      }
    });
  }

  do(order: Order): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const errand = { order, resolve, reject };
      if (order[0] === 'write') this.#send([errand]);
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

function doErrand({ order, resolve, reject }: Errand): void {
  try {
    resolve(call(here, order));
  } catch (error) {
    reject(error);
  }
}

/** `null` where none can be made. */
let thread: WriterThread | null | undefined;
/** Bytes, and orders as bytes, that were written before there was a thread. */
let written = 0;

/**
 * Does one thing of `fileMaker`: by the thread where there is much to do, at once else. Bytes are of shared memory, to be left alone until
 * this settles. @throws NodeJS.ErrnoException
 */
export function carryOut<Name extends Task>(
  name: Name,
  ...given: Parameters<FileMaker[Name]>
): Outcome<Name> | Promise<Outcome<Name>>;
export function carryOut(...order: unknown[]): unknown {
  return doAside(order as Order);
}

function doAside(order: Order): Outcome | Promise<Outcome> {
  if (thread === undefined && (written += ORDER + sizeOf(order)) > WORTH)
    try {
      thread = new WriterThread();
    } catch {
      // A limit of the system, or of what this process may do.
      thread = null;
    }
  return thread?.ready ? thread.do(order) : call(here, order);
}

const sizeOf = (order: Order): number =>
  order[0] === 'write' ? order[3].length : order[0] === 'make' ? order[1].bytes.length : 0;
