import type { FileRecord } from '../../../protocol/types.js';
import type { Api } from '../../api/api.js';
import { isBlocked } from './scan-note.js';

/** Sides of a thumbnail, in pixels. */
const SIDE = 320;
/** Images that the service resizes. */
const IMAGES = /^image\/(?:png|jpeg|gif|webp|avif)$/;
/** Files of which the service makes pictures, if its operator has enabled the programs. */
const BY_PROGRAM = /^(?:video\/|application\/pdf\b)/;
/** The formats that browsers accept for images, so that the picture is stored in the format that the image then gets. */
export const ACCEPTED_PICTURES = 'image/avif,image/webp,*/*';
/** A program takes seconds for a picture, and the service refuses many at once. */
const MAX_RUNNING = 2;
/** Files beyond, which have flown past, are asked for when they are shown again. */
const MAX_WAITING = 100;
/** The service makes no pictures of the type (415), or none at all (501). */
const REFUSED = [415, 501];

/** Content types of which the service makes no pictures. They are not asked for again until the page is loaded again. */
const refusedTypes = new Set<string>();

interface Task {
  key: string;
  url: string;
  type: string;
}

/** Finds the thumbnails of files. Pictures of videos and PDFs are made before they are shown, a few at once, the newest first. */
export class Thumbnails {
  /** Whether a file has a picture; undefined while it is being made. */
  readonly #results = new Map<string, boolean | undefined>();
  #waiting: Task[] = [];
  #running = 0;
  #stop = new AbortController();

  /** @param changed called when a picture has been made */
  constructor(private readonly changed: () => void) {}

  /** Returns the address of a thumbnail. Undefined: the file has none, or it is not made yet. */
  urlOf(storage: Api, file: FileRecord): string | undefined {
    // The service delivers no file before its virus scan. An image that failed would stay hidden after the scan.
    if (isBlocked(file) || file.scan === 'pending') return undefined;
    const { id, etag, content_type: type } = file;
    const url = storage.url(`/v1/files/${id}/content`, { w: SIDE, h: SIDE });
    if (IMAGES.test(type)) return url;
    if (!BY_PROGRAM.test(type) || refusedTypes.has(type)) return undefined;
    const key = `${id} ${etag}`;
    if (this.#results.has(key)) return this.#results.get(key) ? url : undefined;
    this.#results.set(key, undefined);
    this.#waiting.push({ key, url, type });
    if (this.#waiting.length > MAX_WAITING) this.#results.delete(this.#waiting.shift()!.key);
    this.#start();
    return undefined;
  }

  /** Stops making pictures, because other files are shown. */
  stop(): void {
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#waiting = [];
    this.#results.clear();
  }

  #start(): void {
    while (this.#running < MAX_RUNNING && this.#waiting.length > 0) {
      this.#running++;
      void this.#make(this.#waiting.pop()!).finally(() => {
        this.#running--;
        this.#start();
      });
    }
  }

  async #make({ key, url, type }: Task): Promise<void> {
    if (refusedTypes.has(type)) return;
    const { signal } = this.#stop;
    const response = await fetch(url, { method: 'HEAD', headers: { Accept: ACCEPTED_PICTURES }, signal }).catch(() => undefined);
    if (signal.aborted) return;
    if (response && REFUSED.includes(response.status)) refusedTypes.add(type);
    // A busy service is asked again when the file is rendered the next time.
    if (!response || response.status === 503) this.#results.delete(key);
    else this.#results.set(key, response.ok);
    if (response?.ok) this.changed();
  }
}
