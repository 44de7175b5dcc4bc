import { hash64 } from './hash64.js';
import { RETENTION_MS } from './resume-journal.js';
import type { Journal, JournalPart, Unfinished } from './resume-journal.js';
import { acquireName, withLock } from './tab-lock.js';

/** Name of the object store. Its keys are `[journal name, kind, …]`. */
const RECORDS = 'records';
/** `u`: an unfinished file. `p`: one of its parts. `s`: a completed file. */
type Kind = 'u' | 'p' | 's';

/** The record of a completed file. */
interface CompletedFile {
  /** When the file was completed. Milliseconds since 1970. */
  at: number;
  etag: string | undefined;
}

/**
 * A journal in the IndexedDB of a page. After a reload, a person chooses the same files again and their uploads resume. It holds keys,
 * sizes, dates, ids of uploads, ETags and checksums of parts, and no credentials. On a full disk, uploads work but cannot be resumed.
 */
export class IndexedJournal implements Journal {
  readonly resumable = true;
  readonly #unfinished = new Map<string, Unfinished>();
  /** Completed files: hash of the fingerprint to ETag of the object. */
  readonly #completed = new Map<string, string | undefined>();
  readonly #seen = new Set<string>();
  #closed = false;

  private constructor(
    private readonly database: IDBDatabase,
    private readonly name: string,
    private readonly release: () => void,
  ) {}

  /**
   * Opens a journal. Each tab has one of its own: a second tab that opens the same name gets a numbered one. Records of closed tabs are
   * taken over.
   * @param name distinguishes the journals of a page, such as endpoint and bucket
   * @throws DOMException if the browser provides no IndexedDB
   */
  static async open(name: string): Promise<IndexedJournal> {
    const opening = indexedDB.open('svc-uploader-s3', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(RECORDS);
    const journal = new IndexedJournal(await resultOf(opening), ...(await acquireName(name)));
    await journal.#load(journal.name);
    await journal.#takeOverOthers(name);
    return journal;
  }

  get unfinished(): ReadonlyMap<string, Unfinished> {
    return this.#unfinished;
  }

  /** Number of completed files. */
  get settledCount(): number {
    return this.#completed.size;
  }

  isCompleted(fingerprint: string): boolean {
    return this.#completed.has(shortHash(fingerprint));
  }

  completedEtag(fingerprint: string): string | undefined {
    return this.#completed.get(shortHash(fingerprint));
  }

  complete(fingerprint: string, etag?: string): void {
    const hash = shortHash(fingerprint);
    this.#completed.set(hash, etag);
    const completed: CompletedFile = { at: Date.now(), etag };
    void this.#write((records) => records.put(completed, [this.name, 's', hash]));
  }

  seen(key: string): boolean {
    return this.#seen.has(key);
  }

  async begin(file: Omit<Unfinished, 'parts' | 'uploadId'>): Promise<void> {
    this.#seen.add(file.key);
    this.#unfinished.set(file.key, { ...file, parts: new Map() });
    await this.#write((records) => {
      records.delete(this.#range('p', file.key));
      records.put(file, [this.name, 'u', file.key]);
    }, 'strict');
  }

  async setUploadId(key: string, uploadId: string): Promise<void> {
    const file = this.#unfinished.get(key);
    if (file === undefined) return;
    file.uploadId = uploadId;
    await this.#write((records) => records.put(withoutParts(file), [this.name, 'u', key]), 'strict');
  }

  addPart(key: string, part: JournalPart): void {
    this.#seen.add(key);
    const file = this.#unfinished.get(key);
    file?.parts.set(part.number, part);
    if (file !== undefined) file.usedMs = Date.now();
    void this.#write((records) => {
      records.put(part, [this.name, 'p', key, part.number]);
      if (file !== undefined) records.put(withoutParts(file), [this.name, 'u', key]);
    });
  }

  end(key: string): void {
    this.#seen.add(key);
    this.#unfinished.delete(key);
    void this.#write((records) => {
      records.delete([this.name, 'u', key]);
      records.delete(this.#range('p', key));
    });
  }

  get closed(): boolean {
    return this.#closed;
  }

  close(keep: boolean): void {
    if (this.#closed) return;
    this.#closed = true;
    if (!keep) this.clear();
    this.database.close();
    this.release();
  }

  /**
   * Forgets completed files, so that the next transfer checks them itself. Unfinished uploads can still be resumed or aborted.
   */
  forgetSettled(): void {
    this.#completed.clear();
    void this.#write((records) => records.delete(this.#range('s')));
  }

  /** Forgets everything, because the transfer is complete. The next one checks all files itself. */
  clear(): void {
    this.#unfinished.clear();
    this.#completed.clear();
    void this.#write((records) => records.delete(this.#range()));
  }

  /** Loads the records of a journal: that of this tab, or that of a closed tab, whose records it moves to its own. */
  async #load(name: string): Promise<void> {
    const range = rangeOf(name);
    const records = this.database.transaction(RECORDS).objectStore(RECORDS);
    const [keys, values] = await Promise.all([resultOf(records.getAllKeys(range)), resultOf(records.getAll(range))]);
    const knownKeys = new Set(this.#unfinished.keys());
    const parts: { key: string; part: JournalPart }[] = [];
    const obsolete: IDBValidKey[] = [];
    const moved: [value: unknown, id: IDBValidKey][] = [];
    for (const [index, id] of keys.entries()) {
      const [, kind, key, ...rest] = id as [string, Kind, string, ...number[]];
      const value: unknown = values[index];
      if (kind === 's' && isExpired(value as CompletedFile)) {
        obsolete.push(id);
        continue;
      }
      // Two tabs may have uploaded to the same key. The record of the other tab waits until that of this tab has ended.
      if (kind !== 's' && knownKeys.has(key)) continue;
      if (kind === 's') this.#completed.set(key, (value as CompletedFile).etag);
      else if (kind === 'u') this.#unfinished.set(key, { ...(value as Unfinished), parts: new Map() });
      else parts.push({ key, part: value as JournalPart });
      if (name !== this.name) {
        moved.push([value, [this.name, kind, key, ...rest]]);
        obsolete.push(id);
      }
    }
    for (const { key, part } of parts) this.#unfinished.get(key)?.parts.set(part.number, part);
    if (obsolete.length === 0) return;
    await this.#write((store) => {
      for (const [value, id] of moved) store.put(value, id);
      for (const id of obsolete) store.delete(id);
    }, 'strict');
  }

  /** Takes over the numbered journals of closed tabs. */
  async #takeOverOthers(name: string): Promise<void> {
    // `acquireName` tries the name without a number first. If this tab does not hold it, another open tab does.
    const numbered = IDBKeyRange.bound([`${name} (`], [`${name} )`]);
    const records = this.database.transaction(RECORDS).objectStore(RECORDS);
    const names = new Set((await resultOf(records.getAllKeys(numbered))).map((id) => (id as [string])[0]));
    for (const other of names) if (other !== this.name) await withLock(other, () => this.#load(other));
  }

  /** Writes records and commits at once, so that they are written even if the page closes in the next instant. */
  async #write(change: (records: IDBObjectStore) => void, durability: 'relaxed' | 'strict' = 'relaxed'): Promise<void> {
    try {
      const transaction = this.database.transaction(RECORDS, 'readwrite', { durability });
      const done = new Promise<void>((resolve, reject) => {
        transaction.oncomplete = () => resolve();
        transaction.onabort = () => reject(transaction.error as DOMException);
      });
      change(transaction.objectStore(RECORDS));
      transaction.commit();
      await done;
    } catch {
      // The disk is full, or the journal is closed.
    }
  }

  #range(...beginning: string[]): IDBKeyRange {
    return rangeOf(this.name, ...beginning);
  }
}

function withoutParts(file: Unfinished): Omit<Unfinished, 'parts'> {
  const { parts: _, ...others } = file;
  return others;
}

const isExpired = ({ at }: CompletedFile): boolean => !(Date.now() - at <= RETENTION_MS);

/** Returns the range of all keys that begin with these elements. Arrays sort after all strings and numbers. */
const rangeOf = (...beginning: string[]): IDBKeyRange => IDBKeyRange.bound(beginning, [...beginning, []]);

const shortHash = (fingerprint: string): string => hash64(fingerprint).toString(36);

function resultOf<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error as DOMException);
  });
}
