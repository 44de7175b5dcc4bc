import { rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { S3Error } from '../../errors.js';
import { requireOpen } from '../../journal/resume-journal.js';
import type { Journal, JournalPart, Unfinished } from '../../journal/resume-journal.js';
import { makeFolders } from '../files/make-folders.js';
import { CompletedFiles } from './completed-files.js';
import { acquireLock } from './journal-lock.js';
import { UploadLog } from './upload-log.js';
import type { LogLine } from './upload-log.js';

/** Options of `DiskJournal`. */
export interface DiskJournalOptions {
  /** Keeps the fingerprints of completed files after a successful run, because the next `sync` compares with them. */
  keepSettled: boolean;
}

/** A completed file is on disk after this time at the latest. It may have taken hours. Milliseconds. */
const FLUSH_MS = 1000;

/**
 * A journal in a folder of its own: `uploads.jsonl` has the unfinished transfers, `settled.*` the completed files, and `lock` the process
 * that uses the folder. A record of something that will exist in the store is on disk before the request is sent, so that not even a
 * power cut loses an upload. Records of parts may be lost; such a part is sent again.
 *
 * Create a journal for each run, which closes it. The next run uses the same folder. A folder must not serve two stores. It may serve
 * several buckets if no key is unfinished in two of them.
 * @throws S3Error The constructor and `close` throw `JournalUnwritable`, the constructor also `JournalLocked`. A closed journal throws
 *   `InvalidOption`.
 * @example
 * const journal = new DiskJournal('./upload-state', { keepSettled: false });
 * await transfer.upload(walk('./photos'), { bucket: 'main', prefix: 'photos/' }, { journal });
 */
export class DiskJournal implements Journal {
  readonly resumable = true;
  readonly #seen = new Set<string>();
  readonly #folder: string;
  readonly #options: DiskJournalOptions;
  readonly #log: UploadLog;
  readonly #completed: CompletedFiles;
  readonly #unlock: () => void;
  #flushTimer: ReturnType<typeof setTimeout> | undefined;
  /** The first error while a completed file or part was recorded. It fails no file; `close` throws it. */
  #recordError: S3Error | undefined;
  #closed = false;

  /**
   * @param folder is created if it does not exist
   * @throws S3Error `JournalLocked` if a running process uses the folder, `JournalUnwritable`
   */
  constructor(folder: string, options: DiskJournalOptions) {
    this.#folder = folder;
    this.#options = options;
    try {
      makeFolders(folder, 0o700);
      this.#unlock = acquireLock(join(folder, 'lock'));
    } catch (error) {
      throw this.#toJournalError(error);
    }
    try {
      this.#log = new UploadLog(folder);
      this.#completed = new CompletedFiles(folder);
    } catch (error) {
      this.#unlock();
      throw this.#toJournalError(error);
    }
  }

  get unfinished(): ReadonlyMap<string, Unfinished> {
    return this.#log.unfinished;
  }

  get closed(): boolean {
    return this.#closed;
  }

  isCompleted(fingerprint: string): boolean {
    requireOpen(this);
    return this.#completed.has(fingerprint);
  }

  complete(fingerprint: string): void {
    this.#record(() => this.#completed.add(fingerprint));
    this.#flushTimer ??= setTimeout(() => {
      this.#flushTimer = undefined;
      this.#record(() => this.#completed.flush());
    }, FLUSH_MS).unref();
  }

  seen(key: string): boolean {
    return this.#seen.has(key);
  }

  begin(file: Omit<Unfinished, 'parts' | 'uploadId'>): void {
    this.#seen.add(file.key);
    this.#append({ t: 'begin', ...file }, true);
  }

  setUploadId(key: string, uploadId: string): void {
    this.#append({ t: 'named', key, uploadId }, true);
  }

  addPart(key: string, part: JournalPart): void {
    this.#seen.add(key);
    this.#record(() => this.#append({ t: 'part', key, ...part, usedMs: Date.now() }, false));
  }

  end(key: string): void {
    this.#seen.add(key);
    this.#record(() => this.#append({ t: 'end', key }, false));
  }

  /** @throws S3Error `JournalUnwritable` if a record is missing that a later run would need */
  close(keep: boolean): void {
    if (this.#closed) return;
    const { keepSettled } = this.#options;
    clearTimeout(this.#flushTimer);
    try {
      this.#record(() => this.#completed.flush());
      this.#completed.close(!keep && this.#recordError === undefined);
      this.#log.close();
      if (!keep) this.#log.remove();
      if (!keep && !keepSettled) this.#completed.remove();
    } catch (error) {
      throw this.#toJournalError(error);
    } finally {
      // Must not be used again: its file descriptors may belong to other files now.
      this.#closed = true;
      this.#unlock();
    }
    if (!keep && !keepSettled) removeIfEmpty(this.#folder);
    if (this.#recordError !== undefined && (keep || keepSettled)) throw this.#recordError;
  }

  /** Writes a record without which the transfer can continue. After the first error nothing more is recorded. */
  #record(write: () => void): void {
    requireOpen(this);
    if (this.#recordError !== undefined) return;
    try {
      write();
    } catch (error) {
      this.#recordError = this.#toJournalError(error);
    }
  }

  /** @throws S3Error `JournalUnwritable` */
  #append(line: LogLine, isDurable: boolean): void {
    requireOpen(this);
    try {
      this.#log.append(line, isDurable);
    } catch (error) {
      throw this.#toJournalError(error);
    }
  }

  #toJournalError(error: unknown): S3Error {
    if (error instanceof S3Error) return error;
    const message = `The journal of this run cannot be written to ${this.#folder}: ${(error as Error).message}`;
    return new S3Error('JournalUnwritable', message, { cause: error });
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Another run may use the folder again, or it contains other files.
  }
}
