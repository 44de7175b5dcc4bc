import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { EarlyFlush } from '../../runtime/durability/early-flush.js';
import { errorOf } from '../../runtime/threads/start-worker.js';
import { Threads } from '../../runtime/threads/worker-thread.js';
import type { Thread } from '../../runtime/threads/worker-thread.js';
import { writeWorker } from './write-worker.js';
import type { WriteOrder, Written } from './write-worker.js';

/** Linux puts a longer write into as long a run of free memory, and looking for that costs several times what the write does. */
const STEP = 64 * 1024;

const threads = new Threads<WriteOrder, Written>(writeWorker);

/**
 * A new file on its way to the disk. Shared memory is written by another thread, in one go: through the thread pool each step would wait
 * for this thread twice.
 */
export class GrowingFile {
  #thread: Thread<WriteOrder, Written> | undefined;
  readonly #early: EarlyFlush;
  #at = 0;

  private constructor(private readonly file: FileHandle) {
    this.#early = new EarlyFlush(file);
  }

  static async create(path: string): Promise<GrowingFile> {
    return new GrowingFile(await open(path, 'wx', 0o600));
  }

  async append(bytes: Uint8Array): Promise<void> {
    if (bytes.buffer instanceof SharedArrayBuffer) {
      const failure = await this.#writer().ask({ fd: this.file.fd, at: this.#at, bytes, step: STEP });
      if (failure) throw errorOf(failure);
    } else
      for (let from = 0; from < bytes.byteLength;) {
        const length = Math.min(STEP, bytes.byteLength - from);
        from += (await this.file.write(bytes, from, length, this.#at + from)).bytesWritten;
      }
    this.#at += bytes.byteLength;
    this.#early.wrote(bytes.byteLength);
  }

  #writer(): Thread<WriteOrder, Written> {
    if (!this.#thread) {
      this.#thread = threads.quietest();
      this.#thread.users += 1;
    }
    return this.#thread;
  }

  /** Resolves when all of it survives a power cut. */
  finish(): Promise<void> {
    return this.#early.finish();
  }

  async close(): Promise<void> {
    if (this.#thread) this.#thread.users -= 1;
    await this.#early.idle();
    await this.file.close();
  }
}
