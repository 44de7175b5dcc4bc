import type { Totals } from '../queue/types.js';
import type { Localizer } from './locales/localizer.js';

/** Quiet time after the last news before it is told, and between two reports of progress. */
const SETTLE_MS = 500;
const PROGRESS_EVERY_MS = 15_000;

/**
 * What a screen reader hears: one polite sentence now and then, summed up, however many files there are.
 * News of a moment are told together; the newest of one kind wins.
 */
export class Announcer {
  /** In words only when it is told: thousands of files are added in a moment. */
  readonly #messages = new Map<string, () => string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #addedCount = 0;
  #rejectedCount = 0;
  #lastText = '';
  #progressAt = 0;

  constructor(
    private readonly announce: (text: string) => void,
    private readonly localizer: () => Localizer,
  ) {}

  fileAdded(): void {
    this.#addedCount += 1;
    this.#schedule('added', () => this.localizer().text('filesAdded', { count: this.#addedCount }));
  }

  fileRejected(name: string, message: string, counts = true): void {
    if (counts) this.#rejectedCount += 1;
    this.#schedule(counts ? 'refused' : 'present', () => {
      const rest =
        counts && this.#rejectedCount > 1 ? ` ${this.localizer().text('filesNotUploaded', { count: this.#rejectedCount })}.` : '';
      return `${name}: ${message}${rest}`;
    });
  }

  fileRemoved(name: string): void {
    this.#schedule('removed', () => this.localizer().text('fileRemoved', { name }));
  }

  fileMoved(name: string, position: number, total: number): void {
    this.#schedule('moved', () => this.localizer().text('fileMoved', { name, position, total }));
  }

  connectionChanged(online: boolean): void {
    this.#schedule('connection', () => this.localizer().text(online ? 'connectionRestored' : 'connectionLost'));
  }

  uploadProgressed({ sent, bytes }: Readonly<Totals>): void {
    const now = Date.now();
    if (this.#progressAt === 0) this.#progressAt = now;
    if (bytes === 0 || now - this.#progressAt < PROGRESS_EVERY_MS) return;
    this.#progressAt = now;
    const share = sent / bytes;
    this.#schedule('progress', () => this.localizer().text('percentUploaded', { percent: this.localizer().percent(share) }));
  }

  uploadsCompleted({ done, failed, rejected }: Readonly<Totals>): void {
    this.#progressAt = 0;
    const bad = failed + rejected;
    if (done + bad === 0) return;
    this.#schedule('complete', () => {
      const localizer = this.localizer();
      const parts = [];
      if (done > 0) parts.push(localizer.text('filesUploaded', { count: done }));
      if (bad > 0) parts.push(localizer.text('filesNotUploaded', { count: bad }));
      return `${parts.join(localizer.text('listSeparator'))}.`;
    });
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#messages.clear();
    this.#addedCount = this.#rejectedCount = 0;
  }

  #schedule(kind: string, text: () => string): void {
    this.#messages.set(kind, text);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const text = [...this.#messages.values()].map((say) => say()).join(' ');
      this.stop();
      // Of the same words a second time nothing would be heard.
      this.#lastText = text === this.#lastText ? `${text}\u00a0` : text;
      this.announce(this.#lastText);
    }, SETTLE_MS);
  }
}
