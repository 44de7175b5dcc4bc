import { open } from 'node:fs/promises';

/**
 * Flushes directories so that new names in them survive a power cut. Callers that arrive while a flush of the same directory runs share
 * the next one: what they wrote may have missed the one under way.
 */
export class DirectoryFlush {
  readonly #running = new Map<string, Promise<void>>();
  readonly #next = new Map<string, Promise<void>>();

  flush(folder: string): Promise<void> {
    const waiting = this.#next.get(folder);
    if (waiting) return waiting;
    const running = this.#running.get(folder);
    if (!running) return this.#start(folder);
    const next = running
      .catch(() => {})
      .then(() => {
        this.#next.delete(folder);
        return this.#start(folder);
      });
    this.#next.set(folder, next);
    return next;
  }

  #start(folder: string): Promise<void> {
    const running = flushNow(folder).finally(() => {
      if (this.#running.get(folder) === running) this.#running.delete(folder);
    });
    this.#running.set(folder, running);
    return running;
  }
}

async function flushNow(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
