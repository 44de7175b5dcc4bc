import { hash64 } from './hash64.js';
import type { Journal, JournalPart, Unfinished } from './journal.js';

/**
 * A journal in a page's `localStorage`: after a reload, the same files chosen again go on where they stopped. It holds keys,
 * sizes and ids of uploads, never a credential. Where the storage is full, what is lost is only the going on.
 */
export class StorageJournal implements Journal {
  readonly resumable = true;
  readonly #unfinished = new Map<string, Unfinished>();
  readonly #touched = new Set<string>();

  /** @param name tells journals of one page apart, such as `bucket/prefix`. */
  constructor(
    private readonly storage: Storage,
    private readonly name: string,
  ) {
    for (const [key, text] of this.#items('u')) {
      const { parts: _, ...file } = JSON.parse(text) as Unfinished;
      this.#unfinished.set(key, { ...file, parts: new Map() });
    }
    for (const [id, text] of this.#items('p')) {
      const part = JSON.parse(text) as JournalPart;
      this.#unfinished.get(id.slice(id.indexOf(':') + 1))?.parts.set(part.number, part);
    }
  }

  get unfinished(): ReadonlyMap<string, Unfinished> {
    return this.#unfinished;
  }

  settled(fingerprint: string): boolean {
    return this.storage.getItem(this.#id('s', hash64(fingerprint).toString(36))) !== null;
  }

  settle(fingerprint: string): void {
    this.#set('s', hash64(fingerprint).toString(36), '');
  }

  touched(key: string): boolean {
    return this.#touched.has(key);
  }

  begin(file: Omit<Unfinished, 'parts' | 'uploadId'>): void {
    this.end(file.key);
    this.#set('u', file.key, JSON.stringify(file));
  }

  named(key: string, uploadId: string): void {
    const text = this.storage.getItem(this.#id('u', key));
    if (text !== null) this.#set('u', key, JSON.stringify({ ...(JSON.parse(text) as Unfinished), uploadId }));
  }

  part(key: string, part: JournalPart): void {
    this.#touched.add(key);
    this.#set('p', `${part.number}:${key}`, JSON.stringify(part));
  }

  end(key: string): void {
    this.#touched.add(key);
    this.storage.removeItem(this.#id('u', key));
    for (const [id] of this.#items('p')) if (id.slice(id.indexOf(':') + 1) === key) this.storage.removeItem(this.#id('p', id));
  }

  close(keep: boolean): void {
    if (!keep)
      for (const kind of ['u', 'p', 's'] as const)
        for (const [id] of this.#items(kind)) this.storage.removeItem(this.#id(kind, id));
  }

  #id(kind: 'u' | 'p' | 's', id: string): string {
    return `svc-bulk ${this.name} ${kind} ${id}`;
  }

  #items(kind: 'u' | 'p' | 's'): [string, string][] {
    const start = this.#id(kind, '');
    return Object.keys(this.storage)
      .filter((name) => name.startsWith(start))
      .map((name) => [name.slice(start.length), this.storage.getItem(name) ?? '']);
  }

  #set(kind: 'u' | 'p' | 's', id: string, value: string): void {
    try {
      this.storage.setItem(this.#id(kind, id), value);
    } catch {
      // The storage is full.
    }
  }
}
