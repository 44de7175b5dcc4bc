import { constrainedMemory } from 'node:process';
import { totalmem } from 'node:os';
import { BlobError } from '../../../../src/protocol/errors.js';

const MIB = 1024 * 1024;
/** How far back the pace of a sender is looked at, and how long a new one is left alone. ms */
const WINDOW = 5000;
/** A sender at this pace is not slow, however much faster the others are. Bytes a millisecond. */
const MIN_RATE = (64 * 1024) / 1000;
/** An upload waits this long for memory: less than its client waits for us. ms */
const MAX_WAIT = 30_000;

/** A quarter of the machine's memory, between 128 MiB and 1 GiB. */
export function defaultPartMemory(): number {
  const machine = Math.min(totalmem(), constrainedMemory() || Infinity);
  return Math.min(1024 * MIB, Math.max(128 * MIB, machine / 4));
}

interface WaitingPart {
  part: PartAllocation;
  bytes: number;
  resolve(): void;
  reject(why: Error): void;
}

/**
 * Memory for the parts of all uploads of a process. A part takes it as its bytes arrive and gives it back once they are stored.
 *
 * When the memory is used up, parts that have begun come before new ones, and of these the part that lacks the fewest bytes comes first.
 * Senders slower than 64 KiB a second are refused meanwhile, the slowest first: slow senders, however many, hold up nobody. If all parts wait
 * for one another, the first of them goes on beyond the limit by at most one part.
 */
export class PartMemory {
  #free: number;
  readonly #parts = new Set<PartAllocation>();
  readonly #queue: WaitingPart[] = [];
  #judge: NodeJS.Timeout | undefined;

  constructor(
    limit: number,
    readonly timing: { window: number; longestWait: number } = { window: WINDOW, longestWait: MAX_WAIT },
  ) {
    this.#free = limit;
  }

  /** @param size bytes of the whole part. */
  begin(size: number): PartAllocation {
    const part = new PartAllocation(this, size);
    this.#parts.add(part);
    return part;
  }

  /** @throws `SERVICE_UNAVAILABLE` when there was none for too long, or the signal's reason. */
  async take(part: PartAllocation, bytes: number, signal: AbortSignal): Promise<void> {
    if (this.#queue.length > 0 || bytes > this.#free) await this.#wait(part, bytes, signal);
    else this.#free -= bytes;
  }

  release(part: PartAllocation): void {
    if (!this.#parts.delete(part)) return;
    this.#free += part.held;
    this.#grant();
  }

  async #wait(part: PartAllocation, bytes: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    let entry: WaitingPart | undefined;
    const leave = (why: Error) => entry?.reject(why);
    const aborted = () => leave(signal.reason as Error);
    const timer = setTimeout(() => leave(memoryUsedUp()), this.timing.longestWait);
    signal.addEventListener('abort', aborted, { once: true });
    try {
      await new Promise<void>((resolve, reject) => {
        entry = { part, bytes, resolve, reject };
        this.#queue.push(entry);
        this.#judge ??= setInterval(() => this.#stopSlow(), this.timing.window / 10);
        this.#grant();
      });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', aborted);
      const at = this.#queue.indexOf(entry!);
      // It left without having been granted anything.
      if (at !== -1) this.#queue.splice(at, 1);
      if (this.#queue.length === 0) {
        clearInterval(this.#judge);
        this.#judge = undefined;
      }
    }
  }

  #grant(): void {
    while (this.#queue.length > 0) {
      const next = this.#next();
      if (next.bytes > this.#free && !this.#isStuck()) return;
      this.#queue.splice(this.#queue.indexOf(next), 1);
      this.#free -= next.bytes;
      next.resolve();
      // Below zero one part at a time goes on.
      if (this.#free < 0) return;
    }
  }

  /** The begun part that lacks the fewest bytes, else the new one that has waited longest. */
  #next(): WaitingPart {
    let best = this.#queue[0]!;
    for (const one of this.#queue)
      if (one.part.held > 0 && (best.part.held === 0 || one.part.missingBytes < best.part.missingBytes)) best = one;
    return best;
  }

  /** Whether no part that holds memory will give it back unless it gets more. */
  #isStuck(): boolean {
    const waiting = new Set(this.#queue.map((one) => one.part));
    for (const part of this.#parts) if (part.held > 0 && !waiting.has(part)) return false;
    return true;
  }

  #stopSlow(): void {
    let wanted = this.#queue.reduce((sum, one) => sum + one.bytes, 0) - Math.max(0, this.#free);
    const slow = [...this.#parts].filter((part) => part.isSlow).sort((a, b) => a.rate() - b.rate());
    for (const part of slow) {
      if (wanted <= 0) return;
      wanted -= part.held;
      part.stop?.(tooSlow());
    }
  }
}

/** The memory of one part, from its first byte until it is stored. */
export class PartAllocation {
  held = 0;
  /** Ends the wait for the sender; undefined while no byte is waited for. */
  stop: ((why: Error) => void) | undefined;
  readonly #began = performance.now();
  #pace = 0;
  #at = this.#began;

  constructor(
    private readonly memory: PartMemory,
    private readonly size: number,
  ) {}

  get missingBytes(): number {
    return this.size - this.held;
  }

  /** Waits for the sender. @throws `UPLOAD_TOO_SLOW` when others need the memory, the signal's reason. */
  async receive<T>(next: Promise<T>, signal: AbortSignal): Promise<T> {
    const aborted = () => this.stop?.(signal.reason as Error);
    signal.addEventListener('abort', aborted, { once: true });
    try {
      return await new Promise<T>((resolve, reject) => {
        this.stop = reject;
        next.then(resolve, reject);
        if (signal.aborted) reject(signal.reason as Error);
      });
    } finally {
      this.stop = undefined;
      signal.removeEventListener('abort', aborted);
    }
  }

  async take(bytes: number, signal: AbortSignal): Promise<void> {
    this.#pace = this.rate() + bytes / this.memory.timing.window;
    this.#at = performance.now();
    await this.memory.take(this, bytes, signal);
    this.held += bytes;
    // The wait for memory was no delay of the sender.
    this.#at = performance.now();
  }

  /** Gives the memory back. Right also when it was given back before. */
  release(): void {
    this.memory.release(this);
  }

  /** Bytes a millisecond; what is long ago counts little. */
  rate(): number {
    return this.#pace * Math.exp((this.#at - performance.now()) / this.memory.timing.window);
  }

  get isSlow(): boolean {
    const isNew = performance.now() - this.#began < this.memory.timing.window;
    return this.stop !== undefined && this.held > 0 && !isNew && this.rate() < MIN_RATE;
  }
}

const memoryUsedUp = (): BlobError =>
  new BlobError('SERVICE_UNAVAILABLE', 'Too many uploads are under way. Try again.', {
    details: { retry_after: 5, unavailable: 'memory' },
  });

const tooSlow = (): BlobError =>
  new BlobError('UPLOAD_TOO_SLOW', 'Other uploads needed the memory, and these bytes came slowest. Try again.', {
    details: { retry_after: 1 },
  });
