import type { Item } from './item.js';
import type { Totals, UploadState } from './types.js';

type Bucket = 'queued' | 'active' | 'done' | 'failed' | 'rejected';

const BUCKET: Record<UploadState['status'], Bucket> = {
  queued: 'queued',
  uploading: 'active',
  waiting: 'active',
  paused: 'active',
  done: 'done',
  failed: 'failed',
  rejected: 'rejected',
};

/** Milliseconds over which speed is measured, how often it is sampled, how long before it is told, and without a byte until it is not. */
const SPEED = { window: 5000, step: 250, least: 1000, stale: 3000 } as const;

/** Sums kept while files change. Every reading is O(1). */
export class Tally implements Totals {
  files = 0;
  queued = 0;
  active = 0;
  done = 0;
  failed = 0;
  rejected = 0;
  bytes = 0;
  /** Of them, those of files that failed. */
  failedBytes = 0;
  sent = 0;
  /** Bytes of queued and active files. */
  #open = 0;
  #openSent = 0;
  #moved = 0;
  #movedAt = 0;
  #samples: { at: number; moved: number }[] = [];

  add(item: Item): void {
    this.#put(item, item.state, 1);
  }

  remove(item: Item): void {
    this.#put(item, item.state, -1);
  }

  change(item: Item, previous: UploadState): void {
    if (BUCKET[previous.status] === BUCKET[item.state.status]) return;
    this.#put(item, previous, -1);
    this.#put(item, item.state, 1);
  }

  /** Notes bytes of a file in flight that the service has, or that are on their way to it. */
  progress(bytes: number): void {
    this.sent += bytes;
    this.#openSent += bytes;
  }

  /** Notes bytes that moved just now; those that an earlier try or visit sent did not. */
  move(bytes: number): void {
    this.#moved += bytes;
    const now = (this.#movedAt = performance.now());
    const last = this.#samples.at(-1);
    if (!last || now - last.at >= SPEED.step) this.#samples.push({ at: now, moved: this.#moved });
    while (this.#samples.length > 1 && now - this.#samples[0]!.at > SPEED.window) this.#samples.shift();
  }

  /** Forgets the speed: nothing moves. */
  rest(): void {
    this.#samples = [];
  }

  get speed(): number | null {
    const first = this.#samples[0];
    const now = performance.now();
    const span = first && now - this.#movedAt < SPEED.stale ? now - first.at : 0;
    return first && span >= SPEED.least ? ((this.#moved - first.moved) / span) * 1000 : null;
  }

  get secondsLeft(): number | null {
    const speed = this.speed;
    return speed ? (this.#open - this.#openSent) / speed : null;
  }

  #put(item: Item, state: UploadState, sign: 1 | -1): void {
    // What is there already is neither wanting nor wrong.
    if (state.status === 'rejected' && state.rejection.code === 'DUPLICATE_FILE') return;
    const bucket = BUCKET[state.status];
    this[bucket] += sign;
    if (bucket === 'rejected') return;
    this.files += sign;
    this.bytes += sign * item.size;
    if (bucket === 'failed') this.failedBytes += sign * item.size;
    this.sent += sign * item.sent;
    if (bucket !== 'queued' && bucket !== 'active') return;
    this.#open += sign * item.size;
    this.#openSent += sign * item.sent;
  }
}
