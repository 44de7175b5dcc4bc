import type { QueueItem } from './queue-item.js';
import type { Totals, UploadState } from './types.js';

/** Returns the total that counts a file. A file is active from its first request to its end. */
const counterOf = ({ status }: UploadState) =>
  status === 'uploading' || status === 'waiting' || status === 'paused' ? 'active' : status;

/** All bytes of the file are sent, and the service has not responded yet. */
const isFinishing = (state: UploadState): boolean => state.status === 'uploading' && state.phase === 'finishing';

/** Milliseconds over which the speed is measured. */
const WINDOW_MS = 5000;

/** Milliseconds between two samples. */
const SAMPLE_MS = 250;

/** Milliseconds of samples before a speed is shown. */
const MIN_WINDOW_MS = 1000;

/** Milliseconds without a byte after which no speed is shown. */
const STALE_MS = 3000;

/** The cost of each file beside its bytes, as bytes. The time for small files depends on their number. */
const FILE_COST = 192 * 1024;
const workOf = (bytes: number, size: number) => bytes + (FILE_COST * bytes) / (size || 1);

/** Totals that are updated with each change of a file. Reading them takes constant time. */
export class UploadTotals implements Totals {
  files = 0;
  queued = 0;
  active = 0;
  done = 0;
  failed = 0;
  rejected = 0;
  finishing = 0;
  bytes = 0;
  /** Bytes of failed files, which `bytes` contains. */
  failedBytes = 0;
  sent = 0;
  /** Remaining work of queued and active files. */
  #remainingWork = 0;
  #total = { moved: 0, work: 0 };
  #movedAt = 0;
  #samples: { at: number; moved: number; work: number }[] = [];

  changeState(item: QueueItem, previous: UploadState): void {
    if (counterOf(previous) === counterOf(item.state) && isFinishing(previous) === isFinishing(item.state)) return;
    this.addFile(item, -1, previous);
    this.addFile(item, 1);
  }

  /** Adds bytes of a file that were sent. */
  addSent(bytes: number, size: number): void {
    this.sent += bytes;
    this.#remainingWork -= workOf(bytes, size);
  }

  /** Adds bytes that moved just now, for the speed. A negative number takes back bytes that have to be sent again. */
  addTransferred(bytes: number, size: number): void {
    this.#total.moved += bytes;
    this.#total.work += workOf(bytes, size);
    const at = performance.now();
    if (bytes > 0) this.#movedAt = at;
    const last = this.#samples.at(-1);
    if (!last || at - last.at >= SAMPLE_MS) this.#samples.push({ at, ...this.#total });
    while (this.#samples.length > 1 && at - this.#samples[0]!.at > WINDOW_MS) this.#samples.shift();
  }

  /** Forgets the speed, because nothing moves. */
  resetSpeed(): void {
    this.#samples = [];
  }

  get speed(): number | null {
    return this.#perSecond('moved');
  }

  get secondsLeft(): number | null {
    const workPerSecond = this.#perSecond('work');
    return workPerSecond ? this.#remainingWork / workPerSecond : null;
  }

  /** Returns the average per second over the window; null while it is unknown. */
  #perSecond(what: 'moved' | 'work'): number | null {
    const first = this.#samples[0];
    const now = performance.now();
    const span = first && now - this.#movedAt < STALE_MS ? now - first.at : 0;
    return first && span >= MIN_WINDOW_MS ? (Math.max(0, this.#total[what] - first[what]) / span) * 1000 : null;
  }

  /** Adds a file to the totals (1), or removes it (-1). */
  addFile(item: QueueItem, sign: 1 | -1, state = item.state): void {
    // Files that are already in the list do not count as rejected.
    if (state.status === 'rejected' && state.rejection.code === 'DUPLICATE_FILE') return;
    const counter = counterOf(state);
    this[counter] += sign;
    if (counter === 'rejected') return;
    if (isFinishing(state)) this.finishing += sign;
    this.files += sign;
    this.bytes += sign * item.size;
    if (counter === 'failed') this.failedBytes += sign * item.size;
    this.sent += sign * item.sent;
    if (counter === 'queued' || counter === 'active') this.#remainingWork += sign * workOf(item.size - item.sent, item.size);
  }
}
