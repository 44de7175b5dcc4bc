import type { QueueItem } from './queue-item.js';
import type { Totals, UploadState } from './types.js';

/** Whoever has begun and has not ended is active. */
const bucketOf = ({ status }: UploadState) =>
  status === 'uploading' || status === 'waiting' || status === 'paused' ? 'active' : status;

/** Milliseconds over which speed is measured, between two samples, before it is told, and without a byte until it is not. */
const WINDOW = 5000;
const STEP = 250;
const LEAST = 1000;
const STALE = 3000;

/** What a file takes beside its bytes, as bytes: small ones are bound by their number. */
const FILE = 192 * 1024;
const work = (bytes: number, size: number) => bytes + (FILE * bytes) / (size || 1);

/** Sums kept while files change. Every reading is O(1). */
export class UploadTotals implements Totals {
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
  /** Work of queued and active files. */
  #left = 0;
  #total = { moved: 0, work: 0 };
  #movedAt = 0;
  #samples: { at: number; moved: number; work: number }[] = [];

  changeState(item: QueueItem, previous: UploadState): void {
    if (bucketOf(previous) === bucketOf(item.state)) return;
    this.addFile(item, -1, previous);
    this.addFile(item, 1);
  }

  /** Notes bytes of a file in flight that the service has, or that are on their way to it. */
  addSent(bytes: number, size: number): void {
    this.sent += bytes;
    this.#left -= work(bytes, size);
  }

  /** Notes those that moved just now, not in an earlier try or visit; below 0 those in vain. */
  addTransferred(bytes: number, size: number): void {
    this.#total.moved += bytes;
    this.#total.work += work(bytes, size);
    const at = performance.now();
    if (bytes > 0) this.#movedAt = at;
    const last = this.#samples.at(-1);
    if (!last || at - last.at >= STEP) this.#samples.push({ at, ...this.#total });
    while (this.#samples.length > 1 && at - this.#samples[0]!.at > WINDOW) this.#samples.shift();
  }

  /** Forgets the speed: nothing moves. */
  resetSpeed(): void {
    this.#samples = [];
  }

  get speed(): number | null {
    return this.#rate('moved');
  }

  get secondsLeft(): number | null {
    const pace = this.#rate('work');
    return pace ? this.#left / pace : null;
  }

  /** So much a second. */
  #rate(what: 'moved' | 'work'): number | null {
    const first = this.#samples[0];
    const now = performance.now();
    const span = first && now - this.#movedAt < STALE ? now - first.at : 0;
    return first && span >= LEAST ? (Math.max(0, this.#total[what] - first[what]) / span) * 1000 : null;
  }

  /** Adds a file to the sums, or takes it out. */
  addFile(item: QueueItem, sign: 1 | -1, state = item.state): void {
    // What is there already is neither wanting nor wrong.
    if (state.status === 'rejected' && state.rejection.code === 'DUPLICATE_FILE') return;
    const bucket = bucketOf(state);
    this[bucket] += sign;
    if (bucket === 'rejected') return;
    this.files += sign;
    this.bytes += sign * item.size;
    if (bucket === 'failed') this.failedBytes += sign * item.size;
    this.sent += sign * item.sent;
    if (bucket === 'queued' || bucket === 'active') this.#left += sign * work(item.size - item.sent, item.size);
  }
}
