import type { HashRequest, HashResult } from './hash-worker.js';
import { trustedScriptUrl } from './trusted-script-url.js';
import { abortable } from '../abortable.js';

/** Milliseconds without a file after which the worker is terminated. */
const IDLE_MS = 1000;

/** The page's worker that hashes files, shared by all uploads. It starts with the first file and ends when it is idle. */
class HashWorkerClient {
  #worker: Worker | undefined;
  /** The script of the worker did not load. The page hashes files by itself. */
  #hasFailed = false;
  #count = 0;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #pending = new Map<number, (hash: string | null) => void>();

  /**
   * Hashes a file.
   * @returns the SHA-256 in lower-case hex; undefined without a worker, or if it could not read the file
   * @throws the signal's reason
   */
  async hash(file: Blob, signal: AbortSignal): Promise<string | undefined> {
    const worker = (this.#worker ??= this.#start());
    if (!worker) return undefined;
    const id = ++this.#count;
    clearTimeout(this.#idleTimer);
    const hash = new Promise<string | null>((resolve) => this.#pending.set(id, resolve));
    worker.postMessage({ id, file } satisfies HashRequest, []);
    try {
      return (await abortable(hash, signal)) ?? undefined;
    } finally {
      if (this.#pending.delete(id)) worker.postMessage({ id } satisfies HashRequest, []);
      if (this.#pending.size === 0) this.#idleTimer = setTimeout(() => this.close(), IDLE_MS);
    }
  }

  #start(): Worker | undefined {
    if (this.#hasFailed) return undefined;
    try {
      const worker = startWorker(createTrustedWorkerClass());
      worker.onmessage = ({ data: { id, hash } }: MessageEvent<HashResult>) => this.#resolve(id, hash);
      // The script could not be loaded, for example from another origin.
      worker.onerror = (event) => {
        event.preventDefault();
        this.#fail();
      };
      return worker;
    } catch {
      return undefined;
    }
  }

  #resolve(id: number, hash: string | null): void {
    const resolve = this.#pending.get(id);
    this.#pending.delete(id);
    resolve?.(hash);
  }

  #fail(): void {
    this.#hasFailed = true;
    for (const id of this.#pending.keys()) this.#resolve(id, null);
    this.close();
  }

  /** Terminates the worker. The next file starts another one. */
  close(): void {
    clearTimeout(this.#idleTimer);
    this.#worker?.terminate();
    this.#worker = undefined;
  }
}

export const hashWorker = new HashWorkerClient();

type WorkerClass = new (address: URL, options: WorkerOptions) => Worker;

/** Creates the class when it is needed, because Node has no `Worker` to extend. */
const createTrustedWorkerClass = (): WorkerClass =>
  class extends Worker {
    constructor(address: URL, options: WorkerOptions) {
      super(trustedScriptUrl(address), options);
    }
  };

/**
 * Starts the worker from a file, because a strict Content-Security-Policy forbids `blob:` URLs. Bundlers recognize the script by the
 * expression below, a `Worker` made of a `URL`. Hence the name of the parameter.
 */
const startWorker = (Worker: WorkerClass): Worker => new Worker(new URL('./hash-worker.js', import.meta.url), { type: 'module' });
