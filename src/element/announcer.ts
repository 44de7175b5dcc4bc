import type { Totals } from '../queue/types.js';
import { addFileTexts } from './locales/add-file-texts.js';
import type { Localizer } from './locales/localizer.js';

/** Time without a new message after which the collected ones are announced. */
const QUIET_MS = 500;
const PROGRESS_INTERVAL_MS = 15_000;

/**
 * Writes the text that screen readers announce: a short summary now and then, however many files there are.
 * Messages that follow each other quickly are announced together. The newest message of a kind replaces older ones.
 */
export class Announcer {
  /** Functions, because formatting thousands of messages that are never announced would take long. */
  readonly #messages = new Map<string, () => string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #addedCount = 0;
  #rejectedCount = 0;
  #lastText = '';
  #lastProgressAt = 0;

  constructor(
    private readonly announce: (text: string) => void,
    private readonly localizer: () => Localizer,
  ) {
    addFileTexts();
  }

  fileAdded(): void {
    this.#addedCount += 1;
    this.#schedule('added', () => this.localizer().text('filesAdded', { count: this.#addedCount }));
  }

  /** @param counts false for a file that is in the list already and needs no attention */
  fileRejected(name: string, message: string, counts = true): void {
    if (counts) this.#rejectedCount += 1;
    this.#schedule(counts ? 'refused' : 'present', () => {
      const rest =
        counts && this.#rejectedCount > 1 ? ` ${this.localizer().text('filesNotUploaded', { count: this.#rejectedCount })}.` : '';
      return `${name}: ${message}${rest}`;
    });
  }

  fileRemoved(name: string, text: 'fileRemoved' | 'fileDeleted'): void {
    this.#schedule('removed', () => this.localizer().text(text, { name }));
  }

  fileMoved(name: string, position: number, total: number): void {
    this.#schedule('moved', () => this.localizer().text('fileMoved', { name, position, total }));
  }

  connectionChanged(online: boolean): void {
    this.#schedule('connection', () => this.localizer().text(online ? 'connectionRestored' : 'offline'));
  }

  uploadProgressed({ sent, bytes, unknownSizes }: Readonly<Totals>): void {
    const now = Date.now();
    if (this.#lastProgressAt === 0) this.#lastProgressAt = now;
    if (bytes === 0 || unknownSizes > 0 || now - this.#lastProgressAt < PROGRESS_INTERVAL_MS) return;
    this.#lastProgressAt = now;
    const fraction = sent / bytes;
    this.#schedule('progress', () => this.localizer().text('percentUploaded', { percent: this.localizer().percent(fraction) }));
  }

  uploadsCompleted({ done, failed, rejected }: Readonly<Totals>): void {
    this.#lastProgressAt = 0;
    const notUploaded = failed + rejected;
    if (done + notUploaded === 0) return;
    this.#schedule('complete', () => {
      const localizer = this.localizer();
      const parts = [];
      if (done > 0) parts.push(localizer.text('filesUploaded', { count: done }));
      if (notUploaded > 0) parts.push(localizer.text('filesNotUploaded', { count: notUploaded }));
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
      const text = [...this.#messages.values()].map((format) => format()).join(' ');
      this.stop();
      // Screen readers skip a text that equals the previous one.
      this.#lastText = text === this.#lastText ? `${text}\u00a0` : text;
      this.announce(this.#lastText);
    }, QUIET_MS);
  }
}
