import { S3Error } from '../../errors.js';
import { EmptyJournal } from '../../journal/resume-journal.js';
import { CompletedFiles } from './completed-files.js';

/** The journal of a dry run: it knows the files that earlier runs completed, records nothing and takes no lock. */
export class ReadOnlyJournal extends EmptyJournal {
  readonly #completed: CompletedFiles;

  /** @throws S3Error `JournalUnwritable` as `DiskJournal` */
  constructor(folder: string) {
    super();
    try {
      this.#completed = new CompletedFiles(folder);
    } catch (error) {
      if (error instanceof S3Error) throw error;
      const message = `The journal in ${folder} cannot be read: ${(error as Error).message}`;
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
