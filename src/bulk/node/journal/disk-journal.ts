import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { S3Error } from '../../errors.js';
import { requireOpen } from '../../journal/resume-journal.js';
import type { Journal, JournalPart, Unfinished } from '../../journal/resume-journal.js';
import { acquireLock } from './journal-lock.js';
import { makeFolders } from '../files/make-folders.js';
import { CompletedFiles } from './completed-files.js';

export interface DiskJournalOptions {
  /** FingerprintSet outlive a run that went well: the next one compares with them (`sync`). */
  keepSettled: boolean;
}

/** What is done is on disk after so many milliseconds, however little it is: a file may have taken hours. */
const FLUSH_MS = 1000;

/** One line of `uploads.jsonl`. */
type Line =
  | ({ t: 'begin' } & Omit<Unfinished, 'parts' | 'uploadId'>)
  | { t: 'named'; key: string; uploadId: string }
  | ({ t: 'part'; key: string; usedMs?: number } & JournalPart)
  | { t: 'end'; key: string };

/**
 * A journal in a folder of its own: `uploads.jsonl` for large files under way, `settled.*` for what is done, `lock`.
 * Lines are appended. Those that say what exists in the store are on the disk before the store hears of it, so that
 * not even a cut of power loses an upload; those of parts may be lost, and then a part is sent again.
 *
 * One for each run, which closes it at its end: the next run makes another, of the same folder. Best a folder for each pair of places: one
 * may serve several buckets, if no key is unfinished in two of them, but not two stores, whose buckets it could not tell apart.
 */
export class DiskJournal implements Journal {
  readonly resumable = true;
  readonly #unfinished = new Map<string, Unfinished>();
  readonly #seen = new Set<string>();
  readonly #folder: string;
  readonly #options: DiskJournalOptions;
  readonly #completed: CompletedFiles;
  readonly #unlock: () => void;
  #fd: number | undefined;
  #flushTimer: ReturnType<typeof setTimeout> | undefined;
  /** Why nothing more is noted of what is done: that fails no file, and is told at the end. */
  #writeError: S3Error | undefined;
  #closed = false;

  /** @throws S3Error `JournalLocked` when a run that is alive uses it, `JournalUnwritable` */
  constructor(folder: string, options: DiskJournalOptions) {
    this.#folder = folder;
    this.#options = options;
    try {
      makeFolders(folder, 0o700);
      this.#unlock = acquireLock(join(folder, 'lock'));
    } catch (error) {
      throw this.#toWriteError(error);
    }
    try {
      this.#load();
      this.#completed = new CompletedFiles(folder);
    } catch (error) {
      this.#unlock();
      throw this.#toWriteError(error);
    }
  }

  get unfinished(): ReadonlyMap<string, Unfinished> {
    return this.#unfinished;
  }

  get closed(): boolean {
    return this.#closed;
  }

  isCompleted(fingerprint: string): boolean {
    requireOpen(this);
    return this.#completed.has(fingerprint);
  }

  complete(fingerprint: string): void {
    this.#tryWrite(() => this.#completed.add(fingerprint));
    this.#flushTimer ??= setTimeout(() => {
      this.#flushTimer = undefined;
      this.#tryWrite(() => this.#completed.flush());
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
    this.#tryWrite(() => this.#append({ t: 'part', key, ...part, usedMs: Date.now() }, false));
  }

  end(key: string): void {
    this.#seen.add(key);
    this.#tryWrite(() => this.#append({ t: 'end', key }, false));
  }

  /** @throws S3Error `JournalUnwritable` when a next run would miss what could not be noted */
  close(keep: boolean): void {
    if (this.#closed) return;
    const { keepSettled } = this.#options;
    clearTimeout(this.#flushTimer);
    try {
      this.#tryWrite(() => this.#completed.flush());
      this.#completed.close(!keep && this.#writeError === undefined);
      if (this.#fd !== undefined) closeSync(this.#fd);
      this.#fd = undefined;
      if (!keep) rmSync(this.#path, { force: true });
      if (!keep && !keepSettled) this.#completed.remove();
    } catch (error) {
      throw this.#toWriteError(error);
    } finally {
      // The numbers of its files are given to others.
      this.#closed = true;
      this.#unlock();
    }
    if (!keep && !keepSettled) removeEmpty(this.#folder);
    if (this.#writeError !== undefined && (keep || keepSettled)) throw this.#writeError;
  }

  #tryWrite(write: () => void): void {
    requireOpen(this);
    if (this.#writeError !== undefined) return;
    try {
      write();
    } catch (error) {
      this.#writeError = this.#toWriteError(error);
    }
  }

  #append(line: Line, durable: boolean): void {
    requireOpen(this);
    try {
      if (this.#fd === undefined) {
        const fresh = !existsSync(this.#path);
        this.#fd = openSync(this.#path, 'a', 0o600);
        // A name that is not flushed with its directory is gone after a cut of power, however well its bytes lie.
        if (fresh) flushDirectory(dirname(this.#path));
      }
      // The newline comes first as well: whatever a cut left of the last line, this one stands alone.
      writeFileSync(this.#fd, `\n${JSON.stringify(line)}\n`);
      if (durable) fsyncSync(this.#fd);
      // A session may be told to send again what it has begun itself.
      this.#apply(line);
    } catch (error) {
      throw this.#toWriteError(error);
    }
  }

  #toWriteError(error: unknown): S3Error {
    if (error instanceof S3Error) return error;
    const message = `The journal of this run cannot be written to ${this.#folder}: ${(error as Error).message}`;
    return new S3Error('JournalUnwritable', message, { cause: error });
  }

  get #path(): string {
    return join(this.#folder, 'uploads.jsonl');
  }

  #load(): void {
    if (!existsSync(this.#path)) return;
    for (const text of readFileSync(this.#path, 'utf8').split('\n')) {
      const line = parseLine(text);
      if (line !== undefined) this.#apply(line);
    }
    this.#compact();
  }

  #apply(line: Line): void {
    if (line.t === 'begin') {
      const { t: _, ...file } = line;
      this.#unfinished.set(line.key, { ...file, parts: new Map() });
    } else if (line.t === 'end') this.#unfinished.delete(line.key);
    else {
      const file = this.#unfinished.get(line.key);
      if (file === undefined) return;
      if (line.t === 'named') file.uploadId = line.uploadId;
      else {
        file.parts.set(line.number, { number: line.number, etag: line.etag, checksum: line.checksum });
        if (line.usedMs !== undefined) file.usedMs = line.usedMs;
      }
    }
  }

  /** Writes anew what still matters, so that a journal that is gone on with for weeks does not grow. */
  #compact(): void {
    const lines: Line[] = [];
    for (const file of this.#unfinished.values()) {
      const { parts, uploadId, ...facts } = file;
      lines.push({ t: 'begin', ...facts });
      if (uploadId !== undefined) lines.push({ t: 'named', key: file.key, uploadId });
      for (const part of parts.values()) lines.push({ t: 'part', key: file.key, ...part });
    }
    const next = `${this.#path}.new`;
    try {
      writeWhole(next, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    } catch {
      // No room: the longer one says the same.
      rmSync(next, { force: true });
      return;
    }
    renameSync(next, this.#path);
    flushDirectory(this.#folder);
  }
}

function writeWhole(path: string, text: string): void {
  const fd = openSync(path, 'w', 0o600);
  try {
    writeFileSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** A line that a cut left torn, or that lies in between, is none. */
function parseLine(text: string): Line | undefined {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}

/** What else lies in it is somebody's: the next run may hold it by now. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It stays.
  }
}

function flushDirectory(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } catch {
    // Windows flushes no directories.
  } finally {
    closeSync(fd);
  }
}
