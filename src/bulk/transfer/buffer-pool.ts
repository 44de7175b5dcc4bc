import { abortError } from '../abort.js';
import { Arena } from './arena.js';
import type { Allocate } from './arena.js';

const allocateInThread: Allocate = (bytes) => new Uint8Array(bytes);

/** Granularity of sizes and offsets, in bytes. */
const GRANULARITY = 16 * 1024;
/** Platforms may refuse larger blocks of memory. Bytes. */
const MAX_BUDGET = 1024 ** 3;

interface WaitingRequest {
  size: number;
  allocate: Allocate;
  resolve: (buffer: Uint8Array) => void;
  reject: (error: unknown) => void;
  signal: AbortSignal;
}

/**
 * Lends memory for bodies, up to a limit. All buffers of one kind are cut from one arena, so that the garbage collector has
 * nothing to do. Memory that was never used takes no space.
 */
export class BufferPool {
  readonly #size: number;
  #lent = 0;
  /** One arena for each kind of memory: that of this thread, and that which a target shares with its writer thread. */
  readonly #arenas = new Map<Allocate, Arena>();
  #waiting: WaitingRequest[] = [];
  /** One abort listener per signal. Platforms warn of a leak when hundreds of listeners share one signal. */
  readonly #abortListeners = new Map<AbortSignal, () => void>();

  readonly budget: number;

  /** @param budget bytes; values above 1 GiB count as 1 GiB */
  constructor(budget: number) {
    this.budget = Math.min(budget, MAX_BUDGET);
    this.#size = Math.max(GRANULARITY, this.budget - (this.budget % GRANULARITY));
  }

  /**
   * Lends a buffer of at least `size` bytes. Returns a promise only if it must wait for others. A buffer larger than the whole
   * budget is lent when no other is.
   */
  acquire(size: number, signal: AbortSignal, allocate = allocateInThread): Uint8Array | Promise<Uint8Array> {
    const rounded = Math.max(GRANULARITY, Math.ceil(size / GRANULARITY) * GRANULARITY);
    const buffer = this.#waiting.length === 0 ? this.#lend(rounded, allocate) : undefined;
    if (buffer !== undefined) return buffer;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(abortError(signal));
      this.#waiting.push({ size: rounded, allocate, resolve, reject, signal });
      this.#listenForAbort(signal);
      return undefined;
    });
  }

  release(buffer: Uint8Array): void {
    this.#lent -= buffer.length;
    for (const arena of this.#arenas.values()) arena.release(buffer);
    this.#serveWaiting();
  }

  /** Serves requests in their order, so that a large one gets its turn. */
  #serveWaiting(): void {
    while (this.#waiting.length > 0) {
      const { size, allocate, resolve, signal } = this.#waiting[0]!;
      const buffer = this.#lend(size, allocate);
      if (buffer === undefined) return;
      this.#waiting.shift();
      if (!this.#waiting.some((other) => other.signal === signal)) this.#stopListening(signal);
      resolve(buffer);
    }
  }

  #listenForAbort(signal: AbortSignal): void {
    if (this.#abortListeners.has(signal)) return;
    const onAbort = (): void => {
      this.#stopListening(signal);
      const aborted = this.#waiting.filter((request) => request.signal === signal);
      this.#waiting = this.#waiting.filter((request) => request.signal !== signal);
      for (const { reject } of aborted) reject(abortError(signal));
      // The first request may have been too large for the free memory. Requests behind it may fit.
      this.#serveWaiting();
    };
    this.#abortListeners.set(signal, onAbort);
    signal.addEventListener('abort', onAbort);
  }

  #stopListening(signal: AbortSignal): void {
    signal.removeEventListener('abort', this.#abortListeners.get(signal)!);
    this.#abortListeners.delete(signal);
  }

  #lend(size: number, allocate: Allocate): Uint8Array | undefined {
    if (this.#lent > 0 && this.#lent + size > this.#size) return undefined;
    let arena = this.#arenas.get(allocate);
    if (arena === undefined) this.#arenas.set(allocate, (arena = new Arena(allocate, this.#size)));
    const buffer = size > this.#size ? allocate(size) : arena.cut(size);
    if (buffer !== undefined) this.#lent += size;
    return buffer;
  }
}
