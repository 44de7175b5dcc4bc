import { setMaxListeners } from 'node:events';
import { Worker } from 'node:worker_threads';
import { aborted } from '../../transfer/abort.js';
import type { FileRange, WireAnswer, WireRequest } from '../../http/http-client.js';
import { fillScript } from './worker-script.js';
import { fromFailure } from './messages.js';
import type { Order, Report, Setting } from './messages.js';

export type FillRequest = WireRequest & { into: FileRange };

interface Errand {
  request: FillRequest;
  /** Bytes that were told of it. */
  moved: number;
  resolve: (answer: WireAnswer | undefined) => void;
  reject: (error: unknown) => void;
  /** Hears no more of its signal. */
  deaf: () => void;
}

/** One that had nothing to do for so long ends. Milliseconds. */
const IDLE = 15_000;

/** A thread that fills files. While it has nothing to do it keeps no process alive. */
export class Filler {
  readonly #worker: Worker;
  readonly #errands = new Map<number, Errand>();
  #ids = 0;
  #online = false;
  #idle: NodeJS.Timeout | undefined;
  /** `failed`: another would as well. */
  state: 'ready' | 'closing' | 'failed' = 'ready';

  /**
   * @param known whether a server has answered one of these threads, for all that are set up alike
   * @throws what cannot be told to a thread, or a limit of the system
   */
  constructor(
    setting: Setting,
    private readonly known: { heard: boolean },
  ) {
    // This process's own flags may load half a tool chain.
    this.#worker = new Worker(fillScript(), { workerData: setting, execArgv: [], trackUnmanagedFds: false });
    this.#worker.once('online', () => {
      this.#online = true;
      this.#rest();
    });
    this.#worker.on('message', (report: Report) => this.#hear(report));
    this.#worker.on('error', () => {});
    this.#worker.once('exit', () => {
      if (this.state === 'ready') this.state = 'failed';
      clearTimeout(this.#idle);
      for (const id of this.#errands.keys()) this.#giveBack(id);
    });
  }

  /** How many requests it has in hand. */
  get load(): number {
    return this.#errands.size;
  }

  /**
   * @returns undefined when it cannot be done by this thread: then nothing counts as moved, though it may be written
   * @throws S3Error as `fillHere`
   */
  fill(request: FillRequest, proxy: URL | undefined): Promise<WireAnswer | undefined> {
    const { method, origin, target, headers, signal } = request;
    const { fd, position, size, exact, checksum } = request.into;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(aborted(signal));
      if (this.state !== 'ready') return resolve(undefined);
      clearTimeout(this.#idle);
      const id = this.#ids++;
      // It settles when the thread has let go of the file.
      const stop = (): void => this.#tell({ stop: id });
      // Hundreds listen to one: no leak.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', stop, { once: true });
      const deaf = (): void => signal.removeEventListener('abort', stop);
      this.#errands.set(id, { request, moved: 0, resolve, reject, deaf });
      this.#worker.ref();
      try {
        this.#tell({
          id,
          request: { method, origin, target, headers },
          into: { fd, position, size, exact, checksum },
          proxy: proxy?.href,
        });
      } catch {
        this.#giveBack(id);
        this.#rest();
      }
      return undefined;
    });
  }

  /** Ends the thread when it has done what it was told. */
  close(): void {
    if (this.state === 'ready') this.state = 'closing';
    this.#rest();
  }

  #tell(order: Order): void {
    this.#worker.postMessage(order, []);
  }

  #hear(report: Report): void {
    const errand = this.#errands.get(report.id);
    if (errand === undefined) return undefined;
    if ('moved' in report) {
      this.known.heard = true;
      return move(errand, report.moved);
    }
    const { request, moved } = errand;
    this.known.heard ||= 'answer' in report || report.heard;
    if ('answer' in report) {
      move(errand, (report.answer.filled?.bytes ?? 0) - moved);
      this.#take(report.id).resolve(report.answer);
    } else if (!this.known.heard && UNSURE.has(report.failure.code) && !request.signal.aborted) {
      // Not all that a process was told by flags and calls is known to its threads.
      this.state = 'failed';
      this.#giveBack(report.id);
    } else {
      move(errand, -moved);
      this.#take(report.id).reject(request.signal.aborted ? aborted(request.signal) : fromFailure(report.failure));
    }
    return this.#rest();
  }

  #take(id: number): Errand {
    const errand = this.#errands.get(id)!;
    this.#errands.delete(id);
    errand.deaf();
    return errand;
  }

  #giveBack(id: number): void {
    const errand = this.#take(id);
    move(errand, -errand.moved);
    errand.resolve(undefined);
  }

  /** Until it is online it holds the process: Node may wait for ever for a thread that is ended in mid-start. */
  #rest(): void {
    if (!this.#online || this.#errands.size > 0) return;
    this.#worker.unref();
    clearTimeout(this.#idle);
    if (this.state === 'ready') this.#idle = setTimeout(() => this.close(), IDLE).unref();
    else void this.#worker.terminate();
  }
}

const UNSURE = new Set(['ConnectionFailed', 'TlsFailed', 'ProxyFailed']);

function move(errand: Errand, bytes: number): void {
  errand.moved += bytes;
  if (bytes !== 0) errand.request.into.moved(bytes);
}
