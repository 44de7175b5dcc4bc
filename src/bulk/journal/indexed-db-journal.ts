import { hash64 } from './hash64.js';
import { RETENTION_MS } from './resume-journal.js';
import type { Journal, JournalPart, Unfinished } from './resume-journal.js';

/** Keys are `[name, kind, …]`: `u` a file under way, `p` one of its parts, `s` a file that is done. */
const RECORDS = 'records';
/** A page that is reloaded gives its journal back a moment after it is gone; another tab does not within this time. */
const LOCK_TIMEOUT_MS = 500;

type Kind = 'u' | 'p' | 's';

/** A file that is done. */
interface CompletedFile {
  at: number;
  etag: string | undefined;
}

/**
 * A journal in a page's IndexedDB: after a reload, the same files chosen again go on where they stopped. It holds keys, sizes,
 * dates, ids of uploads, ETags and checksums of parts, never a credential. Where the disk is full, only the going on is lost.
 */
export class IndexedJournal implements Journal {
  readonly resumable = true;
  readonly #unfinished = new Map<string, Unfinished>();
  /** With the ETags of their objects. */
  readonly #completed = new Map<string, string | undefined>();
  readonly #seen = new Set<string>();
  #closed = false;

  private constructor(
    private readonly database: IDBDatabase,
    private readonly name: string,
    private readonly release: () => void,
  ) {}

  /**
   * Each tab has a journal of its own: a second one that opens the same name gets the next that is free, until the first is closed.
   * What tabs that are gone left in theirs is taken over.
   * @param name tells journals of one page apart, such as endpoint and bucket. @throws DOMException where there is no IndexedDB
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
    const short = shortHash(fingerprint);
    this.#completed.set(short, etag);
    const settled: CompletedFile = { at: Date.now(), etag };
    void this.#write((records) => records.put(settled, [this.name, 's', short]));
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

  /** Forgets everything: the transfer is over, and the next one is to look for itself. */
  clear(): void {
    this.#unfinished.clear();
    this.#completed.clear();
    void this.#write((records) => records.delete(this.#range()));
  }

  /** Takes the records of a journal, its own or one that nobody holds any more. */
  async #load(name: string): Promise<void> {
    const range = rangeOf(name);
    const records = this.database.transaction(RECORDS).objectStore(RECORDS);
    const [keys, values] = await Promise.all([resultOf(records.getAllKeys(range)), resultOf(records.getAll(range))]);
    const known = new Set(this.#unfinished.keys());
    const parts: { key: string; part: JournalPart }[] = [];
    const gone: IDBValidKey[] = [];
    const moved: [value: unknown, id: IDBValidKey][] = [];
    keys.forEach((id, at) => {
      const [, kind, key, ...rest] = id as [string, Kind, string, ...number[]];
      const settled = kind === 's' ? (values[at] as CompletedFile) : undefined;
      if (settled !== undefined && !(Date.now() - settled.at <= RETENTION_MS)) return void gone.push(id);
      // Of two uploads to one key, the other waits until this one's record is gone.
      if (kind !== 's' && known.has(key)) return undefined;
      if (settled !== undefined) this.#completed.set(key, settled.etag);
      else if (kind === 'u') this.#unfinished.set(key, { ...(values[at] as Unfinished), parts: new Map() });
      else parts.push({ key, part: values[at] as JournalPart });
      if (name === this.name) return undefined;
      moved.push([values[at], [this.name, kind, key, ...rest]]);
      return void gone.push(id);
    });
    for (const { key, part } of parts) this.#unfinished.get(key)?.parts.set(part.number, part);
    if (gone.length === 0) return;
    await this.#write((store) => {
      for (const [value, id] of moved) store.put(value, id);
      for (const id of gone) store.delete(id);
    }, 'strict');
  }

  async #takeOverOthers(name: string): Promise<void> {
    // The first one is free only for who holds it now.
    const others = IDBKeyRange.bound([`${name} (`], [`${name} )`]);
    const records = this.database.transaction(RECORDS).objectStore(RECORDS);
    const names = new Set((await resultOf(records.getAllKeys(others))).map((id) => (id as [string])[0]));
    for (const other of names)
      if (other !== this.name)
        await navigator.locks?.request(lockNameOf(other), { ifAvailable: true }, (held) => held && this.#load(other));
  }

  /** Committed at once, so that what was asked for is written even when the page goes in the next instant. */
  async #write(act: (records: IDBObjectStore) => void, durability: 'relaxed' | 'strict' = 'relaxed'): Promise<void> {
    try {
      const transaction = this.database.transaction(RECORDS, 'readwrite', { durability });
      const done = new Promise<void>((resolve, reject) => {
        transaction.oncomplete = () => resolve();
        transaction.onabort = () => reject(transaction.error as DOMException);
      });
      act(transaction.objectStore(RECORDS));
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
  const { parts: _, ...facts } = file;
  return facts;
}

/** Everything below a beginning of a key: arrays sort after all strings and numbers. */
const rangeOf = (...beginning: string[]): IDBKeyRange => IDBKeyRange.bound(beginning, [...beginning, []]);

/** @returns the name that is this tab's from now on, and what gives it back */
async function acquireName(name: string): Promise<[name: string, release: () => void]> {
  // Browsers have locks only for pages that came over TLS, or from this machine.
  if (navigator.locks === undefined) return [name, () => {}];
  for (let nth = 1; ; nth++) {
    const own = nth === 1 ? name : `${name} (${nth})`;
    const release = await acquireLock(lockNameOf(own));
    if (release !== undefined) return [own, release];
  }
}

const lockNameOf = (name: string): string => `svc-uploader-s3 ${name}`;

function acquireLock(name: string): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(LOCK_TIMEOUT_MS);
    const held = navigator.locks.request(name, { signal }, () => new Promise<void>((release) => resolve(release)));
    held.catch((error: unknown) => (signal.aborted ? resolve(undefined) : reject(error as DOMException)));
  });
}

const shortHash = (fingerprint: string): string => hash64(fingerprint).toString(36);

function resultOf<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error as DOMException);
  });
}
