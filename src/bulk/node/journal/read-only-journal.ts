import { S3Error } from '../../errors.js';
import { EmptyJournal } from '../../journal/resume-journal.js';
import { CompletedFiles } from './completed-files.js';

/** What the journal in a folder says is settled, for a run that changes nothing: it notes nothing and holds no lock. */
export class ReadOnlyJournal extends EmptyJournal {
  readonly #completed: CompletedFiles;

  /** @throws S3Error `JournalUnwritable`, as the run itself would */
  constructor(folder: string) {
    super();
    try {
      this.#completed = new CompletedFiles(folder);
    } catch (error) {
      if (error instanceof S3Error) throw error;
      const message = `The journal of this run cannot be read in ${folder}: ${(error as Error).message}`;
      throw new S3Error('JournalUnwritable', message, { cause: error });
    }
  }

  override isCompleted(fingerprint: string): boolean {
    return this.#completed.has(fingerprint);
  }

  override close(): void {
    this.#completed.close(false);
  }
}
