import { NoJournal } from '../journal.js';
import { Settled } from './settled.js';

/** What the journal in a folder says is settled, for a run that changes nothing: it notes nothing and holds no lock. */
export class SettledOnly extends NoJournal {
  readonly #settled: Settled;

  constructor(folder: string) {
    super();
    this.#settled = new Settled(folder);
  }

  override settled(fingerprint: string): boolean {
    return this.#settled.has(fingerprint);
  }

  override close(): void {
    this.#settled.close(false);
  }
}
