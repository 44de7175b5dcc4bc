import { BlobError } from '../../../src/protocol/errors.js';
import type { Transport } from '../../../src/protocol/transport.js';
import { byId } from '../by-id.js';
import { formatSize } from '../format-size.js';

const RATE_SECONDS = 5;

/** One file that will go on, or was taken off the list, of all its tries. */
interface FileProgress {
  /** Bytes that are there by what was done here: that they are says nothing of an earlier visit. */
  at: number;
  sent: number;
  /** Of which so many are counted. */
  counted: number;
}

/** What crossed the wire, and what needed not to: drawn once a second at most, however much happens. */
export class TransferLog {
  #sentBytes = 0;
  #storedBytes = 0;
  #finishedFiles = 0;
  #running = 0;
  readonly #attempts = new Map<string, FileProgress>();
  /** Files done at the last seconds. */
  readonly #history: number[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;

  /** The same way, counted. */
  countBytes(way: Transport): Transport {
    return {
      ...way,
      send: async (file, passage) => {
        let at = 0;
        const begun = this.#attempts.get(file.id) ?? { at: 0, sent: 0, counted: 0 };
        let own = begun.at;
        const step = (to: number): number => {
          const by = to - at;
          at = to;
          return by;
        };
        // To keep what is there is asked by sending: none of what was taken back for that counts, whatever the answer.
        const correct = (): void => {
          this.#sentBytes += begun.sent - begun.counted;
          begun.counted = begun.sent;
        };
        this.#timer ??= setInterval(() => this.#draw(), 1000);
        this.#running++;
        const sending = way.send(file, {
          ...passage,
          progress: (to) => {
            begun.sent += step(to);
            // What a pause or a cut line takes back goes once more: until then the number stands still, instead of running
            // backwards. Of each file by itself, as what was taken back of one that left the list goes no more.
            const more = Math.max(0, begun.sent - begun.counted);
            begun.counted += more;
            this.#sentBytes += more;
            passage.progress(to);
          },
          resumed: (to) => {
            const by = step(to);
            // Taken back where what is there turns out to be another file.
            this.#storedBytes += by < 0 ? by : Math.max(0, by - own);
            own = Math.max(0, own - by);
            passage.resumed(to);
          },
        });
        try {
          const record = await sending;
          correct();
          this.#finishedFiles++;
          this.#attempts.delete(file.id);
          return record;
        } catch (error) {
          if (error instanceof BlobError && error.code === 'FILE_EXISTS') correct();
          begun.at = at;
          this.#attempts.set(file.id, begun);
          throw error;
        } finally {
          this.#running--;
        }
      },
    };
  }

  #draw(): void {
    this.#history.push(this.#finishedFiles);
    if (this.#history.length > RATE_SECONDS + 1) this.#history.shift();
    const done = this.#finishedFiles - this.#history[0]!;
    if (this.#running === 0 && done === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    byId('bytes-sent').textContent = formatSize(this.#sentBytes);
    byId('bytes-stored').textContent = formatSize(this.#storedBytes);
    const rate = done / Math.max(1, this.#history.length - 1);
    byId('files-per-second').textContent = done === 0 ? '–' : rate.toLocaleString('en', { maximumFractionDigits: rate < 10 ? 1 : 0 });
  }
}
