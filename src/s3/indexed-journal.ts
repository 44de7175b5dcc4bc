import { hash64 } from './hash64.js';
import type { Journal, JournalPart, Unfinished } from './journal.js';

/** Keys are `[name, kind, …]`: `u` a file under way, `p` one of its parts, `s` a file that is done. */
const RECORDS = 'records';
/** Files that are done are remembered for a week; unfinished ones until they end, for only their record can free their parts. */
const KEPT_MS = 7 * 86_400_000;
/** A page that is reloaded gives its journal back a moment after it is gone; another tab does not within this time. */
const PATIENCE_MS = 500;

type Kind = 'u' | 'p' | 's';

/**
 * A journal in a page's IndexedDB: after a reload, the same files chosen again go on where they stopped. It holds keys, sizes,
 * dates, ids of uploads, ETags and checksums of parts, never a credential. Where the disk is full, only the going on is lost.
 */
export class IndexedJournal implements Journal {
  readonly resumable = true;
  readonly #unfinished = new Map<string, Unfinished>();
  readonly #settled = new Set<string>();
  readonly #touched = new Set<string>();

  private constructor(
    private readonly database: IDBDatabase,
    private readonly name: string,
    private readonly release: () => void,
  ) {}

  /**
   * Each tab has a journal of its own: a second one that opens the same name gets the next that is free, until the first is closed.
   * @param name tells journals of one page apart, such as endpoint and bucket. @throws DOMException where there is no IndexedDB
   */
  static async open(name: string): Promise<IndexedJournal> {
    const opening = indexedDB.open('svc-uploader-s3', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(RECORDS);
    const journal = new IndexedJournal(await answer(opening), ...(await hold(name)));
    await journal.#read();
    return journal;
  }

  get unfinished(): ReadonlyMap<string, Unfinished> {
    return this.#unfinished;
  }

  /** How many files are noted as done. */
  get settledCount(): number {
    return this.#settled.size;
  }

  settled(fingerprint: string): boolean {
    return this.#settled.has(shortened(fingerprint));
  }

  settle(fingerprint: string): void {
    const short = shortened(fingerprint);
    this.#settled.add(short);
    void this.#write((records) => records.put(Date.now(), [this.name, 's', short]));
  }

  touched(key: string): boolean {
    return this.#touched.has(key);
  }

  async begin(file: Omit<Unfinished, 'parts' | 'uploadId'>): Promise<void> {
    this.#touched.add(file.key);
    this.#unfinished.set(file.key, { ...file, parts: new Map() });
    await this.#write((records) => {
      records.delete(this.#range('p', file.key));
      records.put(file, [this.name, 'u', file.key]);
    }, 'strict');
  }

  async named(key: string, uploadId: string): Promise<void> {
    const file = this.#unfinished.get(key);
    if (file === undefined) return;
    file.uploadId = uploadId;
    const { parts: _, ...facts } = file;
    await this.#write((records) => records.put(facts, [this.name, 'u', key]), 'strict');
  }

  part(key: string, part: JournalPart): void {
    this.#touched.add(key);
    this.#unfinished.get(key)?.parts.set(part.number, part);
    void this.#write((records) => records.put(part, [this.name, 'p', key, part.number]));
  }

  end(key: string): void {
    this.#touched.add(key);
    this.#unfinished.delete(key);
    void this.#write((records) => {
      records.delete([this.name, 'u', key]);
      records.delete(this.#range('p', key));
    });
  }

  close(keep: boolean): void {
    if (!keep) this.clear();
    this.database.close();
    this.release();
  }

  /** Forgets what is done, so that the next transfer looks for itself. What is unfinished can still be gone on with, or ended. */
  forgetSettled(): void {
    this.#settled.clear();
    void this.#write((records) => records.delete(this.#range('s')));
  }

  /** Forgets everything: the transfer is over, and the next one is to look for itself. */
  clear(): void {
    this.#unfinished.clear();
    this.#settled.clear();
    void this.#write((records) => records.delete(this.#range()));
  }

  async #read(): Promise<void> {
    const records = this.database.transaction(RECORDS).objectStore(RECORDS);
    const [keys, values] = await Promise.all([answer(records.getAllKeys(this.#range())), answer(records.getAll(this.#range()))]);
    const parts: { key: string; part: JournalPart }[] = [];
    const old: IDBValidKey[] = [];
    keys.forEach((id, at) => {
      const [, kind, key] = id as [string, Kind, string];
      const isOld = kind === 's' && Date.now() - (values[at] as number) > KEPT_MS;
      if (isOld) old.push(id);
      else if (kind === 's') this.#settled.add(key);
      else if (kind === 'u') this.#unfinished.set(key, { ...(values[at] as Unfinished), parts: new Map() });
      else parts.push({ key, part: values[at] as JournalPart });
    });
    for (const { key, part } of parts) this.#unfinished.get(key)?.parts.set(part.number, part);
    if (old.length > 0) await this.#write((store) => old.forEach((id) => store.delete(id)));
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

  /** Everything below a beginning of a key: arrays sort after all strings and numbers. */
  #range(...beginning: string[]): IDBKeyRange {
    return IDBKeyRange.bound([this.name, ...beginning], [this.name, ...beginning, []]);
  }
}

/** @returns the name that is this tab's from now on, and what gives it back */
async function hold(name: string): Promise<[name: string, release: () => void]> {
  // Browsers have locks only for pages that came over TLS, or from this machine.
  if (navigator.locks === undefined) return [name, () => {}];
  for (let nth = 1; ; nth++) {
    const own = nth === 1 ? name : `${name} (${nth})`;
    const release = await lock(`svc-uploader-s3 ${own}`);
    if (release !== undefined) return [own, release];
  }
}

function lock(name: string): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const held = navigator.locks.request(name, { signal }, () => new Promise<void>((release) => resolve(release)));
    held.catch((error: unknown) => (signal.aborted ? resolve(undefined) : reject(error as DOMException)));
  });
}

const shortened = (fingerprint: string): string => hash64(fingerprint).toString(36);

function answer<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error as DOMException);
  });
}
