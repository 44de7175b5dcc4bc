import { ScryptProcess } from './scrypt-process.js';
import type { ScryptRequest } from './scrypt-process.js';

/** A hash that takes longer finds no unused core. It is computed again with a share of a core. */
const LATE_MS = 2000;
/** Processes end after this time without a hash. */
const UNUSED_MS = 60_000;

/** Processes that compute scrypt. As many exist as hashes were computed at once; `PasswordHasher` limits that number. */
export class ScryptProcesses {
  /** Processes that wait for work. */
  #waiting: ScryptProcess[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly lateMs = LATE_MS) {}

  /** Computes a hash beside uploads, without delaying them. @throws Error if no process can be used. */
  async compute(request: ScryptRequest): Promise<Uint8Array> {
    const taken = this.#take();
    let isLate = false;
    // The priority of a running process cannot be raised without privileges.
    const timer = setTimeout(() => {
      isLate = taken.priority === 'idle';
      if (isLate) taken.end();
    }, this.lateMs);
    try {
      return await taken.compute(request);
    } catch (cause) {
      if (!isLate) throw cause;
    } finally {
      clearTimeout(timer);
      this.#keep(taken);
    }
    const next = new ScryptProcess('low');
    try {
      return await next.compute(request);
    } finally {
      this.#keep(next);
    }
  }

  /** The processes that wait for work. */
  get waiting(): readonly Pick<ScryptProcess, 'id' | 'priority' | 'isRunning'>[] {
    return this.#waiting;
  }

  #take(): ScryptProcess {
    while (this.#waiting.length > 0) {
      const last = this.#waiting.pop()!;
      if (last.isRunning) return last;
    }
    return new ScryptProcess('idle');
  }

  /** Keeps a process for the next hash. */
  #keep(used: ScryptProcess): void {
    if (!used.isRunning) return;
    this.#waiting.push(used);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      for (const unused of this.#waiting.splice(0)) unused.end();
    }, UNUSED_MS).unref();
  }
}

/** Processes of all services in this process. */
export const scryptProcesses = new ScryptProcesses();
