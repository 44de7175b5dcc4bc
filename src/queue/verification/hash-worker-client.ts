import type { HashRequest, HashResult } from './hash-worker.js';
import { trustedScriptUrl } from './trusted-script-url.js';
import { abortable } from '../tasks.js';

/** Milliseconds without a file after which the worker ends. */
const REST_MS = 1000;

/** The one worker of a page that hashes files, for however many uploads. It is started with the first file and ends when it has rested. */
class HashWorkerClient {
  #worker: Worker | undefined;
  /** Whether its script cannot be loaded: then the page hashes by itself. */
  #isRefused = false;
  #count = 0;
  #rest: ReturnType<typeof setTimeout> | undefined;
  readonly #open = new Map<number, (hash: string | null) => void>();

  /**
   * @returns the SHA-256 in lower-case hex; undefined where there is no worker, or where it could not read the file
   * @throws the signal's reason
   */
  async hash(file: Blob, signal: AbortSignal): Promise<string | undefined> {
    const worker = (this.#worker ??= this.#start());
    if (!worker) return undefined;
    const id = ++this.#count;
    clearTimeout(this.#rest);
    const hash = new Promise<string | null>((resolve) => this.#open.set(id, resolve));
    worker.postMessage({ id, file } satisfies HashRequest, []);
    try {
      return (await abortable(hash, signal)) ?? undefined;
    } finally {
      if (this.#open.delete(id)) worker.postMessage({ id } satisfies HashRequest, []);
      if (this.#open.size === 0) this.#rest = setTimeout(() => this.close(), REST_MS);
    }
  }

  #start(): Worker | undefined {
    if (this.#isRefused) return undefined;
    try {
      const worker = startWorker(TrustedWorker());
      worker.onmessage = ({ data: { id, hash } }: MessageEvent<HashResult>) => this.#answer(id, hash);
      // It could not be loaded, such as from another origin.
      worker.onerror = (event) => {
        event.preventDefault();
        this.#refuse();
      };
      return worker;
    } catch {
      return undefined;
    }
  }

  #answer(id: number, hash: string | null): void {
    const resolve = this.#open.get(id);
    this.#open.delete(id);
    resolve?.(hash);
  }

  #refuse(): void {
    this.#isRefused = true;
    for (const id of this.#open.keys()) this.#answer(id, null);
    this.close();
  }

  /** Ends the worker. The next file starts another. */
  close(): void {
    clearTimeout(this.#rest);
    this.#worker?.terminate();
    this.#worker = undefined;
  }
}

export const hashWorker = new HashWorkerClient();

type WorkerClass = new (address: URL, options: WorkerOptions) => Worker;

/** Made when it is needed: in Node there is no Worker to extend. */
const TrustedWorker = (): WorkerClass =>
  class extends Worker {
    constructor(address: URL, options: WorkerOptions) {
      super(trustedScriptUrl(address), options);
    }
  };

/**
 * Starts a worker of our own address, never of a `blob:` one, which a strict Content-Security-Policy forbids. Bundlers find the script by
 * the very words below, a `Worker` made of a `URL`; hence the name of the parameter.
 */
const startWorker = (Worker: WorkerClass): Worker => new Worker(new URL('./hash-worker.js', import.meta.url), { type: 'module' });
