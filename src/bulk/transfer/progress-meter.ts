import type { ActiveFile, Progress } from '../types.js';
import { FileCost } from './file-cost.js';

/** Smaller files are not listed in `Progress.active`. Bytes. */
const LISTED_FILE_MIN = 8 * 1024 * 1024;
/** Speeds are averages over this time. Milliseconds. */
const WINDOW_MS = 8000;
/** Time before the first estimate. Milliseconds. */
const WARM_UP_MS = 2000;
/** Files are similar if their mean sizes differ by at most this factor. */
const SIMILAR = 4;
/** Mean size up to which the time of a file hardly depends on its size. Bytes. */
const TINY_FILE = 24 * 1024;
/** Mean size from which the time of a file depends on its size alone. Bytes. */
const LARGE_FILE = 1024 * 1024;

/** Progress of one file. */
export interface FileProgress {
  /** Counts bytes that were moved; a negative number takes those of a failed attempt back. */
  addMoved: (bytes: number) => void;
  /** Counts bytes that an earlier run had moved. */
  addResumed: (bytes: number) => void;
  /** Sum of `addResumed`. */
  readonly resumedBytes: number;
  end: () => void;
}

interface TrackedFile {
  name: string;
  bytes: number;
  /** The part of `bytes` that this run moved. */
  moved: number;
  size: number | undefined;
  samples: { at: number; moved: number }[];
}

/** Counts the bytes and files of a transfer and estimates speed and remaining time. */
export class ProgressMeter {
  readonly #begun = performance.now();
  #movedBytes = 0;
  /** Bytes of skipped files, and bytes that earlier runs had moved. */
  #unmovedBytes = 0;
  #totalFiles = 0;
  #totalBytes = 0;
  /** The totals are final. */
  #isPlanned = false;
  #surveyFiles = 0;
  #surveyBytes = 0;
  #isSurveyed = false;
  readonly #active = new Map<string, TrackedFile>();
  readonly #samples: { at: number; bytes: number; files: number }[] = [];
  readonly #fileCost = new FileCost();
  /** The counters at the last snapshot. */
  #last = { at: this.#begun, movedBytes: 0, bytes: 0, files: 0 };
  /** Bytes since the last file was completed. */
  #bytesOfNext = 0;
  /** Largest mean size of the files in one interval. */
  #largestMean = 0;

  get elapsedMs(): number {
    return performance.now() - this.#begun;
  }

  /** Adds one item to the totals. */
  addPlanned(bytes: number): void {
    this.#totalFiles++;
    this.#totalBytes += bytes;
  }

  /** Marks the totals as final: the source has been read to its end. */
  finishPlan(): void {
    this.#isPlanned = true;
  }

  /** Adds one file that the survey, which reads ahead of the transfer, has found. */
  addSurveyed(bytes: number): void {
    this.#surveyFiles++;
    this.#surveyBytes += bytes;
  }

  /** Marks the totals of the survey as final. */
  finishSurvey(): void {
    this.#isSurveyed = true;
  }

  addMoved(bytes: number): void {
    this.#movedBytes += bytes;
  }

  /** Counts bytes that need not be moved. They do not count for the speed. */
  addUnmoved(bytes: number): void {
    this.#unmovedBytes += bytes;
  }

  /** Starts to track one file. @param size undefined for a stream of unknown length */
  trackFile(name: string, size: number | undefined): FileProgress {
    const file: TrackedFile = { name, bytes: 0, moved: 0, size, samples: [] };
    const isListed = size === undefined || size >= LISTED_FILE_MIN;
    if (isListed) {
      file.samples.push({ at: performance.now(), moved: 0 });
      this.#active.set(name, file);
    }
    // `resumedBytes` is a plain field: for small files an accessor costs as much as a hash.
    const progress = {
      resumedBytes: 0,
      addMoved: (bytes: number): void => {
        file.bytes += bytes;
        file.moved += bytes;
        this.addMoved(bytes);
      },
      addResumed: (bytes: number): void => {
        progress.resumedBytes += bytes;
        file.bytes += bytes;
        this.addUnmoved(bytes);
      },
      end: () => void (isListed && this.#active.delete(name)),
    };
    return progress;
  }

  /** Returns the progress now. Called regularly, because the speeds are averages of the last calls. */
  snapshot(counts: { files: number; skipped: number; failed: number; concurrency: number }): Progress {
    const now = performance.now();
    const completed = counts.files + counts.skipped + counts.failed;
    this.#measureInterval(completed, now);
    const speeds = this.#measureSpeeds(completed, now);
    const bytes = this.#movedBytes + this.#unmovedBytes;
    const totalFiles = Math.max(this.#totalFiles, this.#surveyFiles);
    const totalBytes = Math.max(this.#totalBytes, this.#surveyBytes);
    const planned = this.#isPlanned || this.#isSurveyed;
    const left = { bytes: totalBytes - bytes, files: totalFiles - completed };
    const secondsLeft = this.#estimateSeconds(left, speeds);
    const isKnown = planned && Number.isFinite(secondsLeft) && now - this.#begun > WARM_UP_MS && this.#hasMovedSimilar(left);
    return {
      ...counts,
      bytes,
      totalFiles,
      totalBytes,
      planned,
      ...speeds,
      secondsLeft: isKnown ? Math.max(0, secondsLeft) : undefined,
      active: [...this.#active.values()].map((file) => activeFile(file, now)),
      elapsedMs: now - this.#begun,
    };
  }

  #measureInterval(files: number, now: number): void {
    const last = this.#last;
    this.#last = { at: now, movedBytes: this.#movedBytes, bytes: this.#movedBytes + this.#unmovedBytes, files };
    const movedBytes = this.#movedBytes - last.movedBytes;
    this.#fileCost.add({ seconds: (now - last.at) / 1000, movedBytes, files: files - last.files });
    this.#bytesOfNext += this.#last.bytes - last.bytes;
    this.#largestMean = Math.max(this.#largestMean, this.#bytesOfNext / Math.max(1, files - last.files));
    if (files > last.files) this.#bytesOfNext = 0;
  }

  /** Returns false while only small files were moved and large ones are left: their speed is unknown. */
  #hasMovedSimilar({ bytes, files }: Remaining): boolean {
    const mean = Math.min(LARGE_FILE, bytes / files);
    return this.#movedBytes === 0 || !(mean > TINY_FILE) || mean <= SIMILAR * this.#largestMean;
  }

  /** Estimates the time for the remaining bytes and files. A transfer that only compares moves no bytes; then the files alone count. */
  #estimateSeconds({ bytes, files }: Remaining, { bytesPerSecond, filesPerSecond }: Speeds): number {
    if (bytesPerSecond <= 0) return files / filesPerSecond;
    const cost = this.#fileCost.bytes;
    return (bytes + cost * files) / (bytesPerSecond + cost * filesPerSecond);
  }

  #measureSpeeds(completedFiles: number, now: number): Speeds {
    this.#samples.push({ at: now, bytes: this.#movedBytes, files: completedFiles });
    while (this.#samples.length > 2 && now - this.#samples[0]!.at > WINDOW_MS) this.#samples.shift();
    const first = this.#samples.length > 1 ? this.#samples[0]! : { at: this.#begun, bytes: 0, files: 0 };
    const seconds = Math.max(0.001, (now - first.at) / 1000);
    return {
      bytesPerSecond: Math.max(0, (this.#movedBytes - first.bytes) / seconds),
      filesPerSecond: Math.max(0, (completedFiles - first.files) / seconds),
    };
  }
}

type Speeds = Pick<Progress, 'bytesPerSecond' | 'filesPerSecond'>;

interface Remaining {
  bytes: number;
  files: number;
}

function activeFile({ name, bytes, moved, size, samples }: TrackedFile, now: number): ActiveFile {
  samples.push({ at: now, moved });
  while (samples.length > 2 && now - samples[0]!.at > WINDOW_MS) samples.shift();
  const first = samples[0]!;
  const elapsedMs = now - first.at;
  const bytesPerSecond = elapsedMs < WARM_UP_MS ? 0 : Math.max(0, ((moved - first.moved) / elapsedMs) * 1000);
  return { name, bytes, size, bytesPerSecond };
}
