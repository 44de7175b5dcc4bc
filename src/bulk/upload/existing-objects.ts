import type { TransferContext } from '../transfer/transfer-context.js';
import { listObjects } from '../s3/commands/list-objects.js';
import type { ListNext } from '../s3/commands/list-objects.js';
import type { ObjectEntry, SourceFile } from '../types.js';
import { headObject, hasSameTime } from '../list/head-object.js';
import { entryCount, paginationGuard } from '../list/list-objects.js';

/** Folders whose listing is kept (files come folder by folder), and for how long. */
const KEPT = 32;
const KEPT_MS = 60_000;

type Listed = Pick<ObjectEntry, 'size' | 'etag'>;

interface Folder {
  listedAt: number;
  objects: Promise<Map<string, Listed>>;
}

/** Knows the objects in the target folders. Each folder is listed once, when its first file arrives. */
export class ExistingObjects {
  readonly #folders = new Map<string, Folder>();

  /** @param context that of the session, since a listing serves many files */
  constructor(
    private readonly context: TransferContext,
    private readonly bucket: string,
  ) {}

  /**
   * Whether the object of this key is the file as it is: size, and the time that its upload kept.
   * @param made ETag of the object that is known to be made of it: where the listing tells that, the object need not be asked for its time
   */
  async has(file: SourceFile, key: string, context: TransferContext, made: string | undefined): Promise<boolean> {
    if (file.size == null || file.mtimeNs === undefined) return false;
    const listed = (await this.#objects(folderOf(key))).get(key);
    if (listed?.size !== file.size) return false;
    if (made !== undefined && listed.etag === made) return true;
    const facts = await headObject(context, this.bucket, key);
    return facts?.size === file.size && hasSameTime(facts, file.mtimeNs);
  }

  /** An object was made after its folder was listed. */
  note(key: string, size: number): void {
    // A listing that failed is told to those who asked for it.
    this.#folders.get(folderOf(key))?.objects.then(
      (objects) => objects.set(key, { size, etag: '' }),
      () => {},
    );
  }

  #objects(prefix: string): Promise<Map<string, Listed>> {
    const known = this.#folders.get(prefix);
    if (known !== undefined && Date.now() - known.listedAt < KEPT_MS) return known.objects;
    const folder = { listedAt: Date.now(), objects: this.#list(prefix) };
    folder.objects.catch(() => this.#folders.get(prefix) === folder && this.#folders.delete(prefix));
    this.#folders.delete(prefix);
    this.#folders.set(prefix, folder);
    if (this.#folders.size > KEPT) this.#folders.delete(this.#folders.keys().next().value!);
    return folder.objects;
  }

  async #list(prefix: string): Promise<Map<string, Listed>> {
    const { bucket, context } = this;
    const objects = new Map<string, Listed>();
    const onward = paginationGuard();
    for (let next: ListNext | undefined, more = true; more; more = next !== undefined) {
      const place = { bucket, prefix, delimiter: '/', ...(next && { next }), signal: context.signal };
      const page = await context.executor.request(prefix, 0, () => listObjects(context.store, place));
      for (const { key, size, etag } of page.objects) objects.set(key, { size, etag });
      onward((next = page.next), entryCount(page));
    }
    return objects;
  }
}

const folderOf = (key: string): string => key.slice(0, key.lastIndexOf('/') + 1);
