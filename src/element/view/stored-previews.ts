import { PREVIEW } from '../../protocol/limits.js';
import type { FileRecord } from '../../protocol/types.js';
import { fetchPreview, requestPreviews } from '../request-previews.js';
import type { RemoteImage } from './draw-thumbnail.js';

interface Waiting {
  id: string;
  resolve(url: URL | undefined): void;
}

/** Reads the thumbnails of stored images from one token endpoint. Rows that appear together share a request. */
export class StoredPreviews {
  readonly #images = new WeakMap<FileRecord, RemoteImage>();
  #waiting: Waiting[] = [];

  constructor(private readonly endpoint: string) {}

  /** Returns the same image for the same record. Its link is requested when a row shows it for the first time. */
  imageOf(record: FileRecord): RemoteImage {
    let image = this.#images.get(record);
    if (image === undefined) {
      const link = this.#requestLink(record.id);
      image = { read: async () => ((url) => url && fetchPreview(url))(await link) };
      this.#images.set(record, image);
    }
    return image;
  }

  #requestLink(id: string): Promise<URL | undefined> {
    return new Promise((resolve) => {
      // All rows of a render are in one request.
      if (this.#waiting.length === 0) queueMicrotask(() => this.#send());
      this.#waiting.push({ id, resolve });
    });
  }

  #send(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let index = 0; index < waiting.length; index += PREVIEW.maxIds)
      void this.#sendBatch(waiting.slice(index, index + PREVIEW.maxIds));
  }

  async #sendBatch(batch: readonly Waiting[]): Promise<void> {
    const ids = batch.map(({ id }) => id);
    // Without links, rows keep their icons.
    const links = await requestPreviews(this.endpoint, ids).catch(() => undefined);
    for (const { id, resolve } of batch) resolve(links?.get(id));
  }
}
