import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { flushDirectory } from '../durability/flush-directory.js';
import { SharedFlush } from '../durability/shared-flush.js';

/** SQLite's write-ahead log as a file to flush. SQLite keeps the same file for as long as a connection is open. */
export class WriteAheadLog {
  readonly #path: string;
  readonly #shared = new SharedFlush(() => this.#flushNow());
  #file: FileHandle | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Resolves when every commit before the call survives a power cut. */
  flush(): Promise<void> {
    return this.#shared.flush();
  }

  async close(): Promise<void> {
    if (!this.#file) return;
    await this.flush();
    await this.#file.close();
  }

  async #flushNow(): Promise<void> {
    if (!this.#file) {
      this.#file = await open(this.#path, 'r+');
      await flushDirectory(dirname(this.#path));
    }
    await this.#file.datasync();
  }
}
