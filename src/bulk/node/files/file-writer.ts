import { Worker } from 'node:worker_threads';
import { finish, make, open, write } from './write-file.js';

const steps = { open, write, finish, make };
type Steps = typeof steps;
type Step = keyof Steps;
type Result<Name extends Step = Step> = ReturnType<Steps[Name]>;

/** A step of `write-file.js` with its parameters. Bytes lie in shared memory. */
export type WriteRequest = { [Name in Step]: [Name, ...Parameters<Steps[Name]>] }[Step];

/** Errors lose their `code` when they are posted, so a failure travels as a plain object. */
export type WriteResponse = { result: Result } | { failure: { code: string | undefined; message: string } };

interface PendingRequest {
  request: WriteRequest;
  resolve: (result: Result) => void;
  reject: (cause: unknown) => void;
}

/** Bytes, or requests counted as bytes, that are written in the main thread first. Starting a thread costs as much. */
const START_AFTER = 12 * 1024 * 1024;
/** The cost of a request without its bytes, expressed in bytes. */
const REQUEST_COST = 128 * 1024;

/**
 * A worker thread that writes files while the main thread receives. One thread suffices: several that write to one file wait for its lock.
 * The thread keeps the process alive only while a request is pending.
 */
class FileWriter {
  // The flags of this process may load half a tool chain. Files that the worker opens are closed by the main thread.
  // Bundlers recognize exactly this form and copy the worker.
  readonly #worker = new Worker(new URL('./file-writer-worker.js', import.meta.url), { execArgv: [], trackUnmanagedFds: false });
  readonly #pending: PendingRequest[] = [];
  /** Small requests of this turn of the event loop. A message costs as much as making a file, so they share one. */
  #batch: PendingRequest[] = [];
  /** False while the thread starts and after it has ended. The main thread does the work meanwhile. */
  isRunning = false;

  constructor() {
    // Before `online`, the worker keeps the process alive: Node may hang if it ends a thread that is starting.
    this.#worker.once('online', () => {
      this.isRunning = true;
      this.#worker.unref();
    });
    this.#worker.on('message', (responses: WriteResponse[]) => this.#settle(responses));
    // `exit` follows.
    this.#worker.on('error', () => {});
    this.#worker.once('exit', () => this.#takeOver());
  }

  request(request: WriteRequest): Promise<Result> {
    return new Promise((resolve, reject) => {
      const pending = { request, resolve, reject };
      if (request[0] === 'write') return this.#send([pending]);
      this.#batch.push(pending);
      if (this.#batch.length === 1) setImmediate(() => this.#send(this.#batch.splice(0)));
      return undefined;
    });
  }

  #send(requests: PendingRequest[]): void {
    if (!this.isRunning) return requests.forEach(runHere);
    this.#worker.ref();
    this.#pending.push(...requests);
    this.#worker.postMessage(
      requests.map(({ request }) => request),
      [],
    );
    return undefined;
  }

  #settle(responses: WriteResponse[]): void {
    const settled = this.#pending.splice(0, responses.length);
    if (this.#pending.length === 0) this.#worker.unref();
    for (const [index, { resolve, reject }] of settled.entries()) {
      const response = responses[index]!;
      if ('result' in response) resolve(response.result);
      else reject(Object.assign(new Error(response.failure.message), { code: response.failure.code }));
    }
  }

  /** Repeats pending requests in the main thread. Only `finish` may not be repeated: its descriptor may belong to another file by now. */
  #takeOver(): void {
    this.isRunning = false;
    for (const pending of this.#pending.splice(0)) {
      if (pending.request[0] === 'finish') pending.reject(new Error('The thread that writes files has ended.'));
      else runHere(pending);
    }
  }
}

/** Undefined until there is much to write; `null` if the system allows no thread. */
let writer: FileWriter | null | undefined;
let writtenHere = 0;

/**
 * Runs a step of `write-file.js`: in the worker thread if there is much to write, otherwise at once.
 * Bytes must lie in shared memory and stay unchanged until the step has settled.
 * @throws NodeJS.ErrnoException
 */
export function runStep<Name extends Step>(
  step: Name,
  ...parameters: Parameters<Steps[Name]>
): Result<Name> | Promise<Result<Name>>;
export function runStep(...request: unknown[]): unknown {
  return run(request as WriteRequest);
}

function run(request: WriteRequest): Result | Promise<Result> {
  if (writer === undefined) {
    writtenHere += REQUEST_COST + sizeOf(request);
    if (writtenHere > START_AFTER) writer = startWriter();
  }
  return writer?.isRunning ? writer.request(request) : call(request);
}

function startWriter(): FileWriter | null {
  try {
    return new FileWriter();
  } catch {
    return null;
  }
}

const call = ([step, ...parameters]: WriteRequest): Result =>
  (steps[step] as (...parameters: unknown[]) => Result)(...(parameters as unknown[]));

function runHere({ request, resolve, reject }: PendingRequest): void {
  try {
    resolve(call(request));
  } catch (error) {
    reject(error);
  }
}

function sizeOf(request: WriteRequest): number {
  if (request[0] === 'write') return request[3].length;
  return request[0] === 'make' ? request[1].bytes.length : 0;
}
