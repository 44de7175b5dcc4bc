import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';

/** More threads of one kind compete with the main thread for its core. */
const MAX_THREADS = Math.min(4, availableParallelism());

/** A failure that a worker reports. Errors lose their `code` when they are posted. */
export interface WorkerFailure {
  code: string | undefined;
  message: string;
}

/** Turns a reported failure into an error with its code. */
export const toError = ({ code, message }: WorkerFailure): Error =>
  Object.assign(new Error(message), code !== undefined && { code });

interface PendingRequest<Response> {
  resolve: (response: Response) => void;
  reject: (cause: Error) => void;
}

/** A worker thread that responds to requests in their order. It keeps the process alive only while a request is pending. */
export class WorkerThread<Request, Response> {
  #users = 0;
  isRunning = true;
  readonly #worker: Worker;
  readonly #pending: PendingRequest<Response>[] = [];
  #failure: Error | undefined;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', (response: Response) => {
      this.#pending.shift()!.resolve(response);
      if (this.#pending.length === 0) worker.unref();
    });
    worker.once('error', (cause: Error) => (this.#failure = cause));
    worker.once('exit', () => {
      this.isRunning = false;
      for (const { reject } of this.#pending.splice(0)) reject(this.#ended());
    });
    // Adding a listener references the worker.
    worker.unref();
  }

  /** Number of objects that use the thread. */
  get users(): number {
    return this.#users;
  }

  /** Counts a user of the thread. Each one calls `release` once. */
  retain(): this {
    this.#users += 1;
    return this;
  }

  release(): void {
    this.#users -= 1;
  }

  /** Sends a message that has no response. */
  send(message: Request): void {
    this.#worker.postMessage(message, []);
  }

  /**
   * Sends a message and waits for its response.
   * @param transfer buffers that are moved to the worker instead of copied.
   * @throws Error if the thread has ended, with the reason as `cause`.
   */
  request(message: Request, transfer: readonly ArrayBuffer[] = []): Promise<Response> {
    return new Promise((resolve, reject) => {
      if (!this.isRunning) throw this.#ended();
      this.#worker.ref();
      this.#pending.push({ resolve, reject });
      this.#worker.postMessage(message, transfer);
    });
  }

  #ended(): Error {
    return new Error('A worker thread of the service has ended.', { cause: this.#failure });
  }
}

/** Worker threads of one kind. Starts a thread when all running ones are in use, up to the number of cores, at most 4. */
export class WorkerThreadPool<Request, Response> {
  #threads: WorkerThread<Request, Response>[] = [];

  constructor(private readonly startWorker: () => Worker) {}

  /** Returns the thread with the fewest users, which has one more now. The caller releases it. */
  acquire(): WorkerThread<Request, Response> {
    return this.#leastBusy().retain();
  }

  #leastBusy(): WorkerThread<Request, Response> {
    this.#threads = this.#threads.filter(({ isRunning }) => isRunning);
    const [least] = this.#threads.toSorted((a, b) => a.users - b.users);
    if (least && (least.users === 0 || this.#threads.length >= MAX_THREADS)) return least;
    const started = new WorkerThread<Request, Response>(this.startWorker());
    this.#threads.push(started);
    return started;
  }
}
