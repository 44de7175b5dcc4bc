import { PREVIEW } from '../../protocol/limits.js';
import type { PreviewSize } from '../../protocol/limits.js';
import type { FileRecord } from '../../protocol/types.js';
import { fetchPreview, requestPreviews } from '../request-previews.js';
import type { RemoteImage } from './draw-thumbnail.js';

interface Waiting {
  id: string;
  resolve(url: URL | undefined): void;
}

/** Milliseconds for which a link is used. Shorter than its life, because the clocks of page and service differ. */
const LINK_AGE_MS = (PREVIEW.expiresIn - 30) * 1000;

/** Reads the pictures of stored images from one token endpoint. Files that appear together share a request. */
export class StoredPreviews {
  readonly #images = new Map<PreviewSize, WeakMap<FileRecord, RemoteImage>>();
  readonly #waiting = new Map<PreviewSize, Waiting[]>();

  constructor(private readonly endpoint: string) {}

  /** Returns the same image for the same record. Its link is requested when a file shows it for the first time. */
  imageOf(record: FileRecord, size: PreviewSize): RemoteImage {
    const images = this.#images.get(size) ?? new WeakMap<FileRecord, RemoteImage>();
    this.#images.set(size, images);
    let image = images.get(record);
    if (image === undefined) {
      image = this.#createImage(record.id, size);
      images.set(record, image);
    }
    return image;
  }

  #createImage(id: string, size: PreviewSize): RemoteImage {
    const request = () => ({ link: this.#requestLink(id, size), at: Date.now() });
    let requested = request();
    return {
      read: async () => {
        if (Date.now() - requested.at > LINK_AGE_MS) requested = request();
        const url = await requested.link;
        return url && fetchPreview(url);
      },
    };
  }

  #requestLink(id: string, size: PreviewSize): Promise<URL | undefined> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(size) ?? [];
      this.#waiting.set(size, waiting);
      // All files of a render are in one request.
      if (waiting.length === 0) queueMicrotask(() => this.#send(size));
      waiting.push({ id, resolve });
    });
  }

  #send(size: PreviewSize): void {
    const waiting = this.#waiting.get(size)!;
    this.#waiting.delete(size);
    for (let index = 0; index < waiting.length; index += PREVIEW.maxIds)
      void this.#sendBatch(waiting.slice(index, index + PREVIEW.maxIds), size);
  }

  async #sendBatch(batch: readonly Waiting[], size: PreviewSize): Promise<void> {
    const ids = batch.map(({ id }) => id);
    // Without links, files keep their icons.
    const links = await requestPreviews(this.endpoint, ids, size).catch(() => undefined);
    for (const { id, resolve } of batch) resolve(links?.get(id));
  }
}
