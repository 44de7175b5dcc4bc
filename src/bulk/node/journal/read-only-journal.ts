import { S3Error } from '../../errors.js';
import { EmptyJournal } from '../../journal/resume-journal.js';
import { Settled } from './completed-files.js';

/** What the journal in a folder says is settled, for a run that changes nothing: it notes nothing and holds no lock. */
export class SettledOnly extends EmptyJournal {
  readonly #settled: Settled;

  /** @throws S3Error `JournalUnwritable`, as the run itself would */
  constructor(folder: string) {
    super();
    try {
      this.#settled = new Settled(folder);
    } catch (error) {
      if (error instanceof S3Error) throw error;
      const message = `The journal of this run cannot be read in ${folder}: ${(error as Error).message}`;
      throw new S3Error('JournalUnwritable', message, { cause: error });
    }
  }

  override isCompleted(fingerprint: string): boolean {
    return this.#settled.has(fingerprint);
  }

  override close(): void {
    this.#settled.close(false);
  }
}
