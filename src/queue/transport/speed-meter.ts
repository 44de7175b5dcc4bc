import { workOf } from '../work-of.js';

/** Milliseconds over which the speed is measured. */
const WINDOW_MS = 5000;

/** Milliseconds between two samples. */
const SAMPLE_MS = 250;

/** Milliseconds of samples before a speed is shown. */
const MIN_WINDOW_MS = 1000;

/** Milliseconds without a byte after which no speed is shown. */
const STALE_MS = 3000;

/** Measures the speed of an upload over the last seconds. */
export class SpeedMeter {
  #total = { moved: 0, work: 0 };
  #movedAt = 0;
  #samples: { at: number; moved: number; work: number }[] = [];

  /** Null while it is unknown. */
  get bytesPerSecond(): number | null {
    return this.#perSecond('moved');
  }

  /** Null while it is unknown. */
  get workPerSecond(): number | null {
    return this.#perSecond('work');
  }

  /** Adds bytes that moved just now. A negative number takes back bytes that have to be sent again. */
  add(bytes: number, size: number): void {
    this.#total.moved += bytes;
    this.#total.work += workOf(bytes, size);
    const at = performance.now();
    if (bytes > 0) this.#movedAt = at;
    const last = this.#samples.at(-1);
    if (!last || at - last.at >= SAMPLE_MS) this.#samples.push({ at, ...this.#total });
    while (this.#samples.length > 1 && at - this.#samples[0]!.at > WINDOW_MS) this.#samples.shift();
  }

  /** Forgets the speed, because nothing moves. */
  reset(): void {
    this.#samples = [];
  }

  #perSecond(what: 'moved' | 'work'): number | null {
    const first = this.#samples[0];
    const now = performance.now();
    const span = first && now - this.#movedAt < STALE_MS ? now - first.at : 0;
    return first && span >= MIN_WINDOW_MS ? (Math.max(0, this.#total[what] - first[what]) / span) * 1000 : null;
  }
}
