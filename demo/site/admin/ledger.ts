import type { Transport } from '../../../src/protocol/transport.js';
import { byId } from '../by-id.js';
import { sizeInWords } from '../size.js';

const WINDOW = 5;

/** What crossed the wire, and what needed not to: drawn once a second at most, however much happens. */
export class Ledger {
  #sent = 0;
  #mostSent = 0;
  #there = 0;
  #files = 0;
  #running = 0;
  /** Bytes of files that were begun here and will go on: that they are there says nothing of an earlier visit. */
  readonly #begun = new Map<string, number>();
  /** Files done at the last seconds. */
  readonly #before: number[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;

  /** The same way, counted. */
  counting(way: Transport): Transport {
    return {
      ...way,
      send: async (file, passage) => {
        let at = 0;
        let own = this.#begun.get(file.id) ?? 0;
        const step = (to: number): number => {
          const by = to - at;
          at = to;
          return by;
        };
        this.#timer ??= setInterval(() => this.#draw(), 1000);
        this.#running++;
        const sending = way.send(file, {
          ...passage,
          progress: (to) => {
            this.#sent += step(to);
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
          this.#files++;
          this.#begun.delete(file.id);
          return record;
        } catch (error) {
          this.#begun.set(file.id, at);
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
    // What a pause or a cut line takes back goes once more: until then the number stands still, instead of running backwards.
    this.#mostSent = Math.max(this.#mostSent, this.#sent);
    byId('ledger-sent').textContent = sizeInWords(this.#mostSent);
    byId('ledger-there').textContent = sizeInWords(this.#there);
    const rate = done / Math.max(1, this.#before.length - 1);
    byId('ledger-rate').textContent = done === 0 ? '–' : rate.toLocaleString('en', { maximumFractionDigits: rate < 10 ? 1 : 0 });
  }
}
