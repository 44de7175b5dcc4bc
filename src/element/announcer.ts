import type { Totals } from '../queue/types.js';
import type { Words } from './locales/messages.js';

/** Quiet time after the last news before it is told, and between two reports of progress. */
const SETTLE_MS = 500;
const PROGRESS_EVERY_MS = 15_000;

/**
 * What a screen reader hears: one polite sentence now and then, summed up, however many files there are.
 * News of a moment are told together; the newest of one kind wins.
 */
export class Announcer {
  /** In words only when it is told: thousands of files are added in a moment. */
  readonly #news = new Map<string, () => string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #added = 0;
  #refused = 0;
  #told = '';
  #progressAt = 0;

  constructor(
    private readonly tell: (text: string) => void,
    private readonly words: () => Words,
  ) {}

  added(): void {
    this.#added += 1;
    this.#note('added', () => this.words().say('saidAdded', { count: this.#added }));
  }

  refused(name: string, message: string, counts = true): void {
    if (counts) this.#refused += 1;
    this.#note(counts ? 'refused' : 'present', () => {
      const rest = counts && this.#refused > 1 ? ` ${this.words().say('someFailed', { count: this.#refused })}.` : '';
      return `${name}: ${message}${rest}`;
    });
  }

  removed(name: string): void {
    this.#note('removed', () => this.words().say('saidRemoved', { name }));
  }

  moved(name: string, position: number, total: number): void {
    this.#note('moved', () => this.words().say('saidMoved', { name, position, total }));
  }

  connection(online: boolean): void {
    this.#note('connection', () => this.words().say(online ? 'saidOnline' : 'saidOffline'));
  }

  progress({ sent, bytes }: Readonly<Totals>): void {
    const now = Date.now();
    if (this.#progressAt === 0) this.#progressAt = now;
    if (bytes === 0 || now - this.#progressAt < PROGRESS_EVERY_MS) return;
    this.#progressAt = now;
    const share = sent / bytes;
    this.#note('progress', () => this.words().say('saidProgress', { percent: this.words().percent(share) }));
  }

  complete({ done, failed, rejected }: Readonly<Totals>): void {
    this.#progressAt = 0;
    const bad = failed + rejected;
    if (done + bad === 0) return;
    this.#note('complete', () => {
      const words = this.words();
      const parts = [];
      if (done > 0) parts.push(words.say('allDone', { count: done }));
      if (bad > 0) parts.push(words.say('someFailed', { count: bad }));
      return `${parts.join(words.say('comma'))}.`;
    });
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#news.clear();
    this.#added = this.#refused = 0;
  }

  #note(kind: string, text: () => string): void {
    this.#news.set(kind, text);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const text = [...this.#news.values()].map((say) => say()).join(' ');
      this.stop();
      // Of the same words a second time nothing would be heard.
      this.#told = text === this.#told ? `${text}\u00a0` : text;
      this.tell(this.#told);
    }, SETTLE_MS);
  }
}
