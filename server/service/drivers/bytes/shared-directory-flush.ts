import { flushDirectory } from '../../runtime/durability/flush-directory.js';
import { SharedFlush } from '../../runtime/durability/shared-flush.js';

/** Flushes directories. Callers that wait for the same directory share one flush. */
export class SharedDirectoryFlush {
  readonly #folders = new Map<string, SharedFlush>();

  flush(folder: string): Promise<void> {
    let shared = this.#folders.get(folder);
    if (!shared) this.#folders.set(folder, (shared = new SharedFlush(() => flushDirectory(folder))));
    return shared.flush();
  }
}
