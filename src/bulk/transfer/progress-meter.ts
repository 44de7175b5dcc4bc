import type { ActiveFile, Progress } from '../types.js';

/** Files from this size on are shown by themselves. */
const WORTH_A_LINE = 8 * 1024 * 1024;
/** Speeds are those of the last so many milliseconds. */
const WINDOW = 8000;
/** Before so many nothing is said of what is left. */
const SURE = 2000;
/**
 * What a file takes beside its bytes, as bytes: small ones are bound by their number. Stores that were measured move 160 to 250 KiB of a large
 * file in that time; on a slow line it is less, where this says too little while small files go, and too much while only they are left.
 */
const FILE = 192 * 1024;
const work = (bytes: number, files: number): number => bytes + FILE * files;

/** One file, as its bytes move. */
export interface Following {
  moved: (bytes: number) => void;
  /** Bytes that need not: an earlier run moved them. */
  passed: (bytes: number) => void;
  /** Of the latter. */
  readonly there: number;
  end: () => void;
}

interface Followed {
  name: string;
  bytes: number;
  /** Of them, those that crossed the wire. */
  moved: number;
  size: number | undefined;
  samples: { at: number; moved: number }[];
}

/** Counts what crosses the wire and tells how fast and how long. */
export class Meter {
  readonly #begun = performance.now();
  #bytes = 0;
  #passedBytes = 0;
  #totalFiles = 0;
  #totalBytes = 0;
  #planned = false;
  #surveyFiles = 0;
  #surveyBytes = 0;
  #surveyed = false;
  readonly #active = new Map<string, Followed>();
  readonly #samples: { at: number; bytes: number; files: number }[] = [];

  get elapsedMs(): number {
    return performance.now() - this.#begun;
  }

  /** One more thing is there to do. */
  plan(bytes: number): void {
    this.#totalFiles++;
    this.#totalBytes += bytes;
  }

  planned(): void {
    this.#planned = true;
  }

  /** Something that a look ahead of the run has found. */
  surveyed(bytes: number): void {
    this.#surveyFiles++;
    this.#surveyBytes += bytes;
  }

  /** The look ahead has seen everything: its totals are final. */
  surveyDone(): void {
    this.#surveyed = true;
  }

  moved(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Bytes that need not cross the wire: they say nothing about the speed. */
  passed(bytes: number): void {
    this.#passedBytes += bytes;
  }

  /** Starts following one file. @returns what to call as its bytes move, and at its end. */
  follow(name: string, size: number | undefined): Following {
    const file: Followed = { name, bytes: 0, moved: 0, size, samples: [] };
    const shown = size === undefined || size >= WORTH_A_LINE;
    // Of small files, by the thousand, nobody asks how fast they are.
    if (shown) {
      file.samples.push({ at: performance.now(), moved: 0 });
      this.#active.set(name, file);
    }
    // A plain field: an accessor costs every small file as much as a hash.
    const following = {
      there: 0,
      moved: (bytes: number): void => {
        file.bytes += bytes;
        file.moved += bytes;
        this.moved(bytes);
      },
      passed: (bytes: number): void => {
        following.there += bytes;
        file.bytes += bytes;
        this.passed(bytes);
      },
      end: () => void (shown && this.#active.delete(name)),
    };
    return following;
  }

  snapshot(counts: { files: number; skipped: number; failed: number; concurrency: number }): Progress {
    const now = performance.now();
    const settled = counts.files + counts.skipped + counts.failed;
    this.#samples.push({ at: now, bytes: this.#bytes, files: settled });
    while (this.#samples.length > 2 && now - this.#samples[0]!.at > WINDOW) this.#samples.shift();
    const first = this.#samples.length > 1 ? this.#samples[0]! : { at: this.#begun, bytes: 0, files: 0 };
    const seconds = Math.max(0.001, (now - first.at) / 1000);
    const bytesPerSecond = Math.max(0, (this.#bytes - first.bytes) / seconds);
    const filesPerSecond = Math.max(0, (settled - first.files) / seconds);
    const bytes = this.#bytes + this.#passedBytes;
    const totalFiles = Math.max(this.#totalFiles, this.#surveyFiles);
    const totalBytes = Math.max(this.#totalBytes, this.#surveyBytes);
    const planned = this.#planned || this.#surveyed;
    // A comparison, or a sync that finds everything as it should be, moves no bytes: their number says nothing then.
    const left =
      bytesPerSecond > 0
        ? work(totalBytes - bytes, totalFiles - settled) / work(bytesPerSecond, filesPerSecond)
        : (totalFiles - settled) / filesPerSecond;
    return {
      ...counts,
      bytes,
      totalFiles,
      totalBytes,
      planned,
      bytesPerSecond,
      filesPerSecond,
      // The first moments tell nothing of the rest.
      secondsLeft: planned && Number.isFinite(left) && now - this.#begun > SURE ? Math.max(0, left) : undefined,
      active: [...this.#active.values()].map((file) => told(file, now)),
      elapsedMs: now - this.#begun,
    };
  }
}

/** A file as it is shown. */
function told({ name, bytes, moved, size, samples }: Followed, now: number): ActiveFile {
  samples.push({ at: now, moved });
  while (samples.length > 2 && now - samples[0]!.at > WINDOW) samples.shift();
  const [first] = samples as [Followed['samples'][number]];
  const elapsed = now - first.at;
  return { name, bytes, size, bytesPerSecond: elapsed < SURE ? 0 : Math.max(0, ((moved - first.moved) / elapsed) * 1000) };
}
