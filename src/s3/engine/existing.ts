import { listObjects } from '../commands/list-objects.js';
import type { ListNext } from '../commands/list-objects.js';
import type { SourceFile } from '../types.js';
import { isOfTime } from './compare.js';
import { factsAt } from './facts-at.js';
import type { Run } from './run.js';

/** Folders whose listing is kept (files come folder by folder), and for how long. */
const KEPT = 32;
const KEPT_MS = 60_000;

interface Folder {
  listedAt: number;
  sizes: Promise<Map<string, number>>;
}

/** What lies in the folders that files go to, each listed once and when its first file comes. */
export class Existing {
  readonly #folders = new Map<string, Folder>();

  /** @param run whose end is that of the session: a listing serves many files */
  constructor(
    private readonly run: Run,
    private readonly bucket: string,
  ) {}

  /** Whether the object of this key is the file as it is: size, and the time that its upload kept. */
  async has(file: SourceFile, key: string, run: Run): Promise<boolean> {
    if (file.size == null || file.mtimeNs === undefined) return false;
    const sizes = await this.#sizes(folderOf(key));
    if (sizes.get(key) !== file.size) return false;
    const facts = await factsAt(run, this.bucket, key);
    return facts?.size === file.size && isOfTime(facts, file.mtimeNs);
  }

  /** An object was made after its folder was listed. */
  note(key: string, size: number): void {
    // A listing that failed is told to those who asked for it.
    this.#folders.get(folderOf(key))?.sizes.then(
      (sizes) => sizes.set(key, size),
      () => {},
    );
  }

  #sizes(prefix: string): Promise<Map<string, number>> {
    const known = this.#folders.get(prefix);
    if (known !== undefined && Date.now() - known.listedAt < KEPT_MS) return known.sizes;
    const folder = { listedAt: Date.now(), sizes: this.#list(prefix) };
    folder.sizes.catch(() => this.#folders.get(prefix) === folder && this.#folders.delete(prefix));
    this.#folders.delete(prefix);
    this.#folders.set(prefix, folder);
    if (this.#folders.size > KEPT) this.#folders.delete(this.#folders.keys().next().value!);
    return folder.sizes;
  }

  async #list(prefix: string): Promise<Map<string, number>> {
    const { bucket, run } = this;
    const sizes = new Map<string, number>();
    for (let next: ListNext | undefined, more = true; more; more = next !== undefined) {
      const place = { bucket, prefix, delimiter: '/', ...(next && { next }), signal: run.signal };
      const page = await run.request(prefix, 0, () => listObjects(run.store, place));
      for (const { key, size } of page.objects) sizes.set(key, size);
      ({ next } = page);
    }
    return sizes;
  }
}

const folderOf = (key: string): string => key.slice(0, key.lastIndexOf('/') + 1);
