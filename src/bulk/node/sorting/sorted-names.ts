import { compareKeys } from '../../s3/object-keys.js';
import { TempFile } from '../files/temp-file.js';

/** Names held at once, as bytes of them and of what holds them; beyond, they go to a temporary file in sorted runs. */
const MAX_IN_MEMORY = 8 * 1024 * 1024;
/** What V8 needs for a short text beside its characters, and for its place in a list. */
const ENTRY_OVERHEAD = 28;
/** Of a run, what is read, or written, at once: this much, or the share of all runs of this. */
const BLOCK = 64 * 1024;
const ALL_BLOCKS = 16 * 1024 * 1024;
/** Ends a name; no UTF-8 has this byte. */
const END = 0xff;

/** Names in the order in which stores list, however many there are: what is not held lies in a temporary file. */
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

  /** All names in order, as often as it is asked for; one that was added twice comes twice. */
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
      const most = name.length * 3 + 1;
      if (filled + most > block.length) flush();
      if (most > block.length) block = Buffer.allocUnsafe(most);
      filled += block.write(name, filled, 'utf8');
      block[filled++] = END;
    }
    flush();
    this.#runs.push({ start, end });
    this.#names = [];
    this.#bytes = 0;
  }

  *#mergeRuns(): Generator<string> {
    const size = Math.min(BLOCK, Math.max(1024, Math.floor(ALL_BLOCKS / this.#runs.length)));
    const heads: { name: string; rest: Iterator<string> }[] = [];
    /** Puts a run where the name that it is at belongs. */
    const place = (rest: Iterator<string>): void => {
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
    for (const { start, end } of this.#runs) place(this.#readRun(start, end, size));
    for (let first = heads.shift(); first !== undefined; first = heads.shift()) {
      yield first.name;
      place(first.rest);
    }
  }

  *#readRun(start: number, end: number, size: number): Generator<string> {
    let block = Buffer.allocUnsafe(size);
    for (let position = start; position < end;) {
      const bytes = block.subarray(0, Math.min(block.length, end - position));
      this.#file!.read(position, bytes);
      let at = 0;
      for (let stop = bytes.indexOf(END); stop >= 0; stop = bytes.indexOf(END, at)) {
        yield bytes.toString('utf8', at, stop);
        at = stop + 1;
      }
      // A name longer than the block.
      if (at === 0) block = Buffer.allocUnsafe(block.length * 2);
      position += at;
    }
  }
}
