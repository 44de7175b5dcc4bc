import { constrainedMemory } from 'node:process';
import { totalmem } from 'node:os';
import { BlobError } from '../../../../src/protocol/errors.js';
import { RETRY_AFTER_SECONDS } from '../../runtime/retry-after.js';

const MIB = 1024 * 1024;
/** Window of the average rate of a sender. A new sender is not judged for this long. */
const WINDOW_MS = 5000;
/** A sender with this rate is not slow. Bytes a millisecond. */
const MIN_RATE = (64 * 1024) / 1000;
/** An upload waits this long for memory. Clients wait longer for a response. */
const MAX_WAIT_MS = 30_000;

/** Returns a quarter of the machine's memory, between 128 MiB and 1 GiB, in bytes. */
export function defaultPartMemory(): number {
  const machine = Math.min(totalmem(), constrainedMemory() || Infinity);
  return Math.min(1024 * MIB, Math.max(128 * MIB, machine / 4));
}

interface WaitingPart {
  part: PartAllocation;
  bytes: number;
  resolve(): void;
  reject(reason: Error): void;
}

/**
 * Limits the memory for the parts of all uploads of a process. A part takes memory as its bytes arrive and releases it when it is stored.
 *
 * When the memory is used up, parts that have begun come before new ones. Among these, the part with the fewest missing bytes comes first.
 * Meanwhile senders slower than 64 KiB a second are refused, the slowest first, so that slow senders cannot block fast ones. If all parts wait
 * for one another, the first one continues and exceeds the limit by at most one part.
 */
export class PartMemory {
  #free: number;
  readonly #parts = new Set<PartAllocation>();
  readonly #queue: WaitingPart[] = [];
  #slowCheck: NodeJS.Timeout | undefined;

  constructor(
    limit: number,
    readonly timing: { window: number; maxWait: number } = { window: WINDOW_MS, maxWait: MAX_WAIT_MS },
  ) {
    this.#free = limit;
  }

  /** @param size bytes of the whole part. */
  begin(size: number): PartAllocation {
    const part = new PartAllocation(this, size);
    this.#parts.add(part);
    return part;
  }

  /** Waits for memory. @throws `SERVICE_UNAVAILABLE` after `maxWait`, or the reason of the signal. */
  async take(part: PartAllocation, bytes: number, signal: AbortSignal): Promise<void> {
    if (this.#queue.length > 0 || bytes > this.#free) await this.#wait(part, bytes, signal);
    else this.#free -= bytes;
  }

  release(part: PartAllocation): void {
    if (!this.#parts.delete(part)) return;
    this.#free += part.heldBytes;
    this.#grant();
  }

  async #wait(part: PartAllocation, bytes: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    let entry: WaitingPart | undefined;
    const stopWaiting = (reason: Error) => entry?.reject(reason);
    const onAbort = () => stopWaiting(signal.reason as Error);
    const timer = setTimeout(() => stopWaiting(memoryUsedUp()), this.timing.maxWait);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await new Promise<void>((resolve, reject) => {
        entry = { part, bytes, resolve, reject };
        this.#queue.push(entry);
        this.#slowCheck ??= setInterval(() => this.#refuseSlowest(), this.timing.window / 10);
        this.#grant();
      });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      const index = this.#queue.indexOf(entry!);
      // The part gave up waiting.
      if (index !== -1) this.#queue.splice(index, 1);
      if (this.#queue.length === 0) {
        clearInterval(this.#slowCheck);
        this.#slowCheck = undefined;
      }
    }
  }

  #grant(): void {
    while (this.#queue.length > 0) {
      const next = this.#next();
      if (next.bytes > this.#free && !this.#isDeadlocked()) return;
      this.#queue.splice(this.#queue.indexOf(next), 1);
      this.#free -= next.bytes;
      next.resolve();
      // Only one part at a time may exceed the limit.
      if (this.#free < 0) return;
    }
  }

  /** Returns the begun part with the fewest missing bytes, otherwise the new part that has waited longest. */
  #next(): WaitingPart {
    let best = this.#queue[0]!;
    for (const entry of this.#queue) {
      const { heldBytes, missingBytes } = entry.part;
      if (heldBytes > 0 && (best.part.heldBytes === 0 || missingBytes < best.part.missingBytes)) best = entry;
    }
    return best;
  }

  /** @returns whether every part that holds memory waits for more. */
  #isDeadlocked(): boolean {
    const waiting = new Set(this.#queue.map(({ part }) => part));
    for (const part of this.#parts) if (part.heldBytes > 0 && !waiting.has(part)) return false;
    return true;
  }

  #refuseSlowest(): void {
    let needed = this.#queue.reduce((sum, { bytes }) => sum + bytes, 0) - Math.max(0, this.#free);
    const slow = [...this.#parts].filter((part) => part.isSlow).sort((a, b) => a.rate() - b.rate());
    for (const part of slow) {
      if (needed <= 0) return;
      needed -= part.heldBytes;
      part.stop?.(tooSlow());
    }
  }
}

/** The memory of one part, from its first byte until the part is stored. */
export class PartAllocation {
  heldBytes = 0;
  /** Ends the wait for the sender. Undefined while the part does not wait for bytes. */
  stop: ((reason: Error) => void) | undefined;
  readonly #startedAt = performance.now();
  #rate = 0;
  #ratedAt = this.#startedAt;

  constructor(
    private readonly memory: PartMemory,
    private readonly size: number,
  ) {}

  get missingBytes(): number {
    return this.size - this.heldBytes;
  }

  /** Waits for the next bytes of the sender. @throws `UPLOAD_TOO_SLOW` if faster uploads need the memory, or the reason of the signal. */
  async receive<T>(next: Promise<T>, signal: AbortSignal): Promise<T> {
    const onAbort = () => this.stop?.(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await new Promise<T>((resolve, reject) => {
        this.stop = reject;
        next.then(resolve, reject);
        if (signal.aborted) reject(signal.reason as Error);
      });
    } finally {
      this.stop = undefined;
      signal.removeEventListener('abort', onAbort);
    }
  }

  async take(bytes: number, signal: AbortSignal): Promise<void> {
    this.#rate = this.rate() + bytes / this.memory.timing.window;
    this.#ratedAt = performance.now();
    await this.memory.take(this, bytes, signal);
    this.heldBytes += bytes;
    // The time spent waiting for memory does not count against the sender.
    this.#ratedAt = performance.now();
  }

  /** Releases the memory. Does nothing the second time. */
  release(): void {
    this.memory.release(this);
  }

  /** Returns the average rate, in which recent bytes count most. Bytes a millisecond. */
  rate(): number {
    return this.#rate * Math.exp((this.#ratedAt - performance.now()) / this.memory.timing.window);
  }

  get isSlow(): boolean {
    const isNew = performance.now() - this.#startedAt < this.memory.timing.window;
    return this.stop !== undefined && this.heldBytes > 0 && !isNew && this.rate() < MIN_RATE;
  }
}

const memoryUsedUp = (): BlobError =>
  new BlobError('SERVICE_UNAVAILABLE', 'Too many uploads are running. Try again.', {
    details: { retry_after: RETRY_AFTER_SECONDS, unavailable: 'memory' },
  });

const tooSlow = (): BlobError =>
  new BlobError('UPLOAD_TOO_SLOW', 'Other uploads needed the memory, and this upload was the slowest. Try again.', {
    details: { retry_after: 1 },
  });
