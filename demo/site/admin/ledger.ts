import type { Transport } from '../../../src/protocol/transport.js';
import { byId } from '../by-id.js';
import { sizeInWords } from '../size.js';

const WINDOW = 5;

/** What crossed the wire, and what needed not to: drawn once a second at most, however much happens. */
export class Ledger {
  #sent = 0;
  #there = 0;
  #files = 0;
  #running = 0;
  /** Files done at the last seconds. */
  readonly #before: number[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;

  /** The same way, counted. */
  counting(way: Transport): Transport {
    return {
      ...way,
      send: async (file, passage) => {
        let at = 0;
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
            this.#there += step(to);
            passage.resumed(to);
          },
        });
        try {
          const record = await sending;
          this.#files++;
          return record;
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
