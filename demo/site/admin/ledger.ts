import { BlobError } from '../../../src/protocol/errors.js';
import type { Transport } from '../../../src/protocol/transport.js';
import { byId } from '../by-id.js';
import { sizeInWords } from '../size.js';

const WINDOW = 5;

/** One file that will go on, or was taken off the list, of all its tries. */
interface Begun {
  /** Bytes that are there by what was done here: that they are says nothing of an earlier visit. */
  at: number;
  sent: number;
  /** Of which so many are counted. */
  counted: number;
}

/** What crossed the wire, and what needed not to: drawn once a second at most, however much happens. */
export class Ledger {
  #sent = 0;
  #there = 0;
  #files = 0;
  #running = 0;
  readonly #begun = new Map<string, Begun>();
  /** Files done at the last seconds. */
  readonly #before: number[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;

  /** The same way, counted. */
  counting(way: Transport): Transport {
    return {
      ...way,
      send: async (file, passage) => {
        let at = 0;
        const begun = this.#begun.get(file.id) ?? { at: 0, sent: 0, counted: 0 };
        let own = begun.at;
        const step = (to: number): number => {
          const by = to - at;
          at = to;
          return by;
        };
        // To keep what is there is asked by sending: none of what was taken back for that counts, whatever the answer.
        const correct = (): void => {
          this.#sent += begun.sent - begun.counted;
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
            this.#sent += more;
            passage.progress(to);
          },
          resumed: (to) => {
            const by = step(to);
            // Taken back where what is there turns out to be another file.
            this.#there += by < 0 ? by : Math.max(0, by - own);
            own = Math.max(0, own - by);
            passage.resumed(to);
          },
        });
        try {
          const record = await sending;
          correct();
          this.#files++;
          this.#begun.delete(file.id);
          return record;
        } catch (error) {
          if (error instanceof BlobError && error.code === 'FILE_EXISTS') correct();
          begun.at = at;
          this.#begun.set(file.id, begun);
          throw error;
        } finally {
          this.#running--;
        }
      },
    };
  }

  #draw(): void {
    this.#before.push(this.#files);
    if (this.#before.length > WINDOW + 1) this.#before.shift();
    const done = this.#files - this.#before[0]!;
    if (this.#running === 0 && done === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    byId('ledger-sent').textContent = sizeInWords(this.#sent);
    byId('ledger-there').textContent = sizeInWords(this.#there);
    const rate = done / Math.max(1, this.#before.length - 1);
    byId('ledger-rate').textContent = done === 0 ? '–' : rate.toLocaleString('en', { maximumFractionDigits: rate < 10 ? 1 : 0 });
  }
}
