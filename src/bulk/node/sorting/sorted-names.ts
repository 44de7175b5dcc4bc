import { compareKeys } from '../../s3/object-keys.js';
import { TempFile } from '../files/temp-file.js';

/** Memory for names, with what they occupy beside their characters. Further names go to a temporary file in sorted runs. Bytes. */
const MAX_IN_MEMORY = 8 * 1024 * 1024;
/** Memory that V8 needs for a short string beside its characters, and for its element of an array. Bytes. */
const ENTRY_OVERHEAD = 28;
/** Bytes of a run that are read or written at once. */
const BLOCK = 64 * 1024;
/** Bytes of all runs together that are read at once. */
const ALL_BLOCKS = 16 * 1024 * 1024;
/** Byte that ends a name. It does not occur in UTF-8. */
const END = 0xff;

/** Sorts any number of names in the order in which stores list keys. Names that exceed the memory limit go to a temporary file. */
export class SortedNames implements Iterable<string> {
  #names: string[] = [];
  #bytes = 0;
  #isSorted = true;
  readonly #runs: { start: number; end: number }[] = [];
  #file: TempFile | undefined;

  constructor(private readonly limit = MAX_IN_MEMORY) {}

  /** @throws S3Error `ScratchUnwritable` */
  add(name: string): void {
    this.#names.push(name);
    this.#isSorted = false;
    this.#bytes += name.length + ENTRY_OVERHEAD;
    if (this.#bytes > this.limit) this.#spill();
  }

  /** Iterates over all names in order. It can be called several times. A name that was added twice comes twice. */
  [Symbol.iterator](): Iterator<string> {
    if (this.#runs.length > 0) {
      if (this.#names.length > 0) this.#spill();
      return this.#mergeRuns();
    }
    if (!this.#isSorted) this.#names.sort(compareKeys);
    this.#isSorted = true;
    return this.#names[Symbol.iterator]();
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  /** Writes the names in memory as a sorted run. */
  #spill(): void {
    this.#file ??= new TempFile();
    const start = this.#runs.at(-1)?.end ?? 0;
    let end = start;
    let block = Buffer.allocUnsafe(BLOCK);
    let filled = 0;
    const flush = (): void => {
      this.#file!.write(end, block.subarray(0, filled));
      end += filled;
      filled = 0;
    };
    for (const name of this.#names.sort(compareKeys)) {
      const maxBytes = name.length * 3 + 1;
      if (filled + maxBytes > block.length) flush();
      if (maxBytes > block.length) block = Buffer.allocUnsafe(maxBytes);
      filled += block.write(name, filled, 'utf8');
      block[filled++] = END;
    }
    flush();
    this.#runs.push({ start, end });
    this.#names = [];
    this.#bytes = 0;
  }

  /** Yields the names of all runs in order. The names in `heads` are the next of each run, in order. */
  *#mergeRuns(): Generator<string> {
    const size = Math.min(BLOCK, Math.max(1024, Math.floor(ALL_BLOCKS / this.#runs.length)));
    const heads: { name: string; rest: Iterator<string> }[] = [];
    /** Reads the next name of a run and inserts it into `heads`. */
    const insertNext = (rest: Iterator<string>): void => {
      const { value: name, done } = rest.next();
      if (done) return;
      let [low, high] = [0, heads.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (compareKeys(heads[middle]!.name, name) < 0) low = middle + 1;
        else high = middle;
      }
      heads.splice(low, 0, { name, rest });
    };
    for (const { start, end } of this.#runs) insertNext(this.#readRun(start, end, size));
    for (let first = heads.shift(); first !== undefined; first = heads.shift()) {
      yield first.name;
      insertNext(first.rest);
    }
  }

  *#readRun(runStart: number, end: number, size: number): Generator<string> {
    let block = Buffer.allocUnsafe(size);
    for (let position = runStart; position < end;) {
      const bytes = block.subarray(0, Math.min(block.length, end - position));
      this.#file!.read(position, bytes);
      let start = 0;
      for (let stop = bytes.indexOf(END); stop >= 0; stop = bytes.indexOf(END, start)) {
        yield bytes.toString('utf8', start, stop);
        start = stop + 1;
      }
      // The name is longer than the block.
      if (start === 0) block = Buffer.allocUnsafe(block.length * 2);
      position += start;
    }
  }
}
