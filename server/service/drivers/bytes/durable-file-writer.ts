import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { EarlyFlush } from '../../runtime/durability/early-flush.js';
import { toError, WorkerThreadPool } from '../../runtime/threads/worker-thread.js';
import type { WorkerFailure, WorkerThread } from '../../runtime/threads/worker-thread.js';

/** Message to `write-worker.js`. */
export interface WriteRequest {
  /** Descriptor of an open file. */
  fd: number;
  /** Position in the file, in bytes. */
  position: number;
  /** Shared memory. It must not change until the response. */
  bytes: Uint8Array;
  /** Bytes of one system call at most. */
  maxWrite: number;
}

/** `undefined`: all bytes are in the file. */
export type WriteResponse = WorkerFailure | undefined;

/** Bytes of one system call. For larger writes Linux looks for as large a run of free memory, which takes several times as long as writing. */
const MAX_WRITE = 64 * 1024;

const pool = new WorkerThreadPool<WriteRequest, WriteResponse>(
  // Bundlers recognize exactly this form and copy the file.
  () => new Worker(new URL('./write-worker.js', import.meta.url), { execArgv: [] }),
);

/**
 * Writes a new file and flushes it. A worker thread writes shared memory with one message. Node's thread pool would return to the main thread
 * after each system call.
 */
export class DurableFileWriter {
  #thread: WorkerThread<WriteRequest, WriteResponse> | undefined;
  readonly #flush: EarlyFlush;
  #length = 0;

  private constructor(private readonly file: FileHandle) {
    this.#flush = new EarlyFlush(file);
  }

  /** Creates the file. @throws `EEXIST` if the path exists. */
  static async create(path: string): Promise<DurableFileWriter> {
    return new DurableFileWriter(await open(path, 'wx', 0o600));
  }

  async append(bytes: Uint8Array): Promise<void> {
    if (bytes.buffer instanceof SharedArrayBuffer) await this.#writeInThread(bytes);
    else await this.#writeHere(bytes);
    this.#length += bytes.byteLength;
    this.#flush.wrote(bytes.byteLength);
  }

  async #writeInThread(bytes: Uint8Array): Promise<void> {
    this.#thread ??= pool.acquire();
    const failure = await this.#thread.request({ fd: this.file.fd, position: this.#length, bytes, maxWrite: MAX_WRITE });
    if (failure) throw toError(failure);
  }

  async #writeHere(bytes: Uint8Array): Promise<void> {
    let written = 0;
    while (written < bytes.byteLength) {
      const length = Math.min(MAX_WRITE, bytes.byteLength - written);
      written += (await this.file.write(bytes, written, length, this.#length + written)).bytesWritten;
    }
  }

  /** Flushes the file. Resolves when all of it survives a power cut. */
  finish(): Promise<void> {
    return this.#flush.finish();
  }

  /** Closes the file, finished or not. */
  async close(): Promise<void> {
    this.#thread?.release();
    await this.#flush.idle();
    await this.file.close();
  }
}
