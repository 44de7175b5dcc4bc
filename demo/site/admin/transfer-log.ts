import { BlobError } from '../../../src/protocol/errors.js';
import type { Transport } from '../../../src/protocol/transport.js';
import { byId } from '../by-id.js';
import { formatSize } from '../format-size.js';

/** Seconds over which the rate is averaged. */
const RATE_SECONDS = 5;

/** Progress of one file over all attempts, until it is stored. */
interface FileProgress {
  /** Bytes that this page had stored when the last attempt ended. They do not count as found in the store. */
  storedByPage: number;
  /** Bytes sent, less those that a pause or a lost connection took back. */
  sent: number;
  /** Bytes of `sent` that the display counts. It never decreases. */
  counted: number;
}

/** Counts bytes that were sent and bytes that were found in the store. It updates the page once a second. */
export class TransferLog {
  #sentBytes = 0;
  #storedBytes = 0;
  #finishedFiles = 0;
  #running = 0;
  readonly #progress = new Map<string, FileProgress>();
  /** Finished files at each of the last seconds. */
  readonly #history: number[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Wraps a transport and counts its bytes. */
  countBytes(transport: Transport): Transport {
    return {
      ...transport,
      send: async (file, context) => {
        const progress = this.#progress.get(file.id) ?? { storedByPage: 0, sent: 0, counted: 0 };
        let position = 0;
        let { storedByPage } = progress;
        const moveTo = (next: number): number => {
          const difference = next - position;
          position = next;
          return difference;
        };
        this.#timer ??= setInterval(() => this.#draw(), 1000);
        this.#running++;
        const sending = transport.send(file, {
          ...context,
          progress: (sent) => {
            progress.sent += moveTo(sent);
            // Bytes that were taken back are sent again. Until then, the displayed number stays.
            const increase = Math.max(0, progress.sent - progress.counted);
            progress.counted += increase;
            this.#sentBytes += increase;
            context.progress(sent);
          },
          resumed: (stored) => {
            const difference = moveTo(stored);
            // A negative difference takes back bytes that belong to another file.
            this.#storedBytes += difference < 0 ? difference : Math.max(0, difference - storedByPage);
            storedByPage = Math.max(0, storedByPage - difference);
            context.resumed(stored);
          },
        });
        try {
          const record = await sending;
          this.#correctSent(progress);
          this.#finishedFiles++;
          this.#progress.delete(file.id);
          return record;
        } catch (error) {
          // The store compared the sent bytes with an existing object and kept that object.
          if (error instanceof BlobError && error.code === 'FILE_EXISTS') this.#correctSent(progress);
          progress.storedByPage = position;
          this.#progress.set(file.id, progress);
          throw error;
        } finally {
          this.#running--;
        }
      },
    };
  }

  /** Subtracts bytes that were taken back and will not be sent again. */
  #correctSent(progress: FileProgress): void {
    this.#sentBytes += progress.sent - progress.counted;
    progress.counted = progress.sent;
  }

  #draw(): void {
    this.#history.push(this.#finishedFiles);
    if (this.#history.length > RATE_SECONDS + 1) this.#history.shift();
    const finished = this.#finishedFiles - this.#history[0]!;
    if (this.#running === 0 && finished === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    byId('bytes-sent').textContent = formatSize(this.#sentBytes);
    byId('bytes-stored').textContent = formatSize(this.#storedBytes);
    const rate = finished / Math.max(1, this.#history.length - 1);
    const rateText = rate.toLocaleString('en', { maximumFractionDigits: rate < 10 ? 1 : 0 });
    byId('files-per-second').textContent = finished === 0 ? '–' : rateText;
  }
}
