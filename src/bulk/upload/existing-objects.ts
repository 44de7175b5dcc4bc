import type { TransferContext } from '../transfer/transfer-context.js';
import { listObjects } from '../s3/commands/list-objects.js';
import type { PagePosition } from '../s3/commands/list-objects.js';
import type { ObjectEntry, SourceFile } from '../types.js';
import { headObject, hasSameTime } from '../list/head-object.js';
import { entryCount, paginationGuard } from '../list/list-objects.js';

/** Number of folders whose listing is cached. Files arrive folder by folder. */
const MAX_FOLDERS = 32;
const CACHE_MS = 60_000;

type ListedObject = Pick<ObjectEntry, 'size' | 'etag'>;

interface Folder {
  listedAt: number;
  objects: Promise<Map<string, ListedObject>>;
}

/** Knows the objects in the target folders. Each folder is listed once, when its first file arrives. */
export class ExistingObjects {
  readonly #folders = new Map<string, Folder>();

  /** @param context the context of the session, because a listing serves many files */
  constructor(
    private readonly context: TransferContext,
    private readonly bucket: string,
  ) {}

  /**
   * Returns whether the object with this key has the size and time of the file.
   * @param completedEtag ETag of the object that an earlier run created from this file. If the listing has it, no other request is
   *   needed.
   */
  async has(file: SourceFile, key: string, context: TransferContext, completedEtag: string | undefined): Promise<boolean> {
    if (file.size == null || file.mtimeNs === undefined) return false;
    const listed = (await this.#objects(folderOf(key))).get(key);
    if (listed?.size !== file.size) return false;
    if (completedEtag !== undefined && listed.etag === completedEtag) return true;
    const head = await headObject(context, this.bucket, key);
    return head?.size === file.size && hasSameTime(head, file.mtimeNs);
  }

  /** Adds an object that was created after its folder was listed. */
  add(key: string, size: number): void {
    // If the listing failed, `has` has thrown its error.
    this.#folders.get(folderOf(key))?.objects.then(
      (objects) => objects.set(key, { size, etag: '' }),
      () => {},
    );
  }

  #objects(prefix: string): Promise<Map<string, ListedObject>> {
    const cached = this.#folders.get(prefix);
    if (cached !== undefined && Date.now() - cached.listedAt < CACHE_MS) return cached.objects;
    const folder = { listedAt: Date.now(), objects: this.#list(prefix) };
    folder.objects.catch(() => this.#folders.get(prefix) === folder && this.#folders.delete(prefix));
    this.#folders.delete(prefix);
    this.#folders.set(prefix, folder);
    if (this.#folders.size > MAX_FOLDERS) this.#folders.delete(this.#folders.keys().next().value!);
    return folder.objects;
  }

  async #list(prefix: string): Promise<Map<string, ListedObject>> {
    const { bucket, context } = this;
    const objects = new Map<string, ListedObject>();
    const requireProgress = paginationGuard();
    for (let next: PagePosition | undefined, more = true; more; more = next !== undefined) {
      const place = { bucket, prefix, delimiter: '/', ...(next && { next }), signal: context.signal };
      const page = await context.executor.request(prefix, 0, () => listObjects(context.store, place));
      for (const { key, size, etag } of page.objects) objects.set(key, { size, etag });
      next = page.next;
      requireProgress(next, entryCount(page));
    }
    return objects;
  }
}

const folderOf = (key: string): string => key.slice(0, key.lastIndexOf('/') + 1);
