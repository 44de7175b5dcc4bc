import type { FileRecord } from '../../../protocol/types.js';
import { ApiError } from '../../api/api-error.js';
import { sleep } from '../../api/api.js';
import type { Api } from '../../api/api.js';
import type { FolderListing } from './folder-listing.js';

/** Files that are read again at once. The others follow when these have their result. */
const MAX_READ = 10;
/** Shortest and longest wait before files are read again. */
const FIRST_WAIT_MS = 2000;
const MAX_WAIT_MS = 30_000;
/** The wait doubles while no scan ends. */
const waitAfter = (waitMs: number): number => Math.min(2 * waitMs, MAX_WAIT_MS);

/** Reads listed files again until their virus scan has ended, so that their thumbnails and marks appear without a refresh. */
export class PendingScans {
  #listing: FolderListing | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waitMs = FIRST_WAIT_MS;
  #stop = new AbortController();
  /** Ids of files that were deleted since they were listed. */
  readonly #gone = new Set<string>();

  /** Follows the scans of a listing's files. To be called after each change of the listing. */
  follow(storage: Api, listing: FolderListing): void {
    if (listing !== this.#listing) this.stop();
    this.#listing = listing;
    if (this.#timer !== undefined) return;
    const pending = listing.findFiles(({ id, scan }) => scan === 'pending' && !this.#gone.has(id), MAX_READ);
    if (pending.length > 0) this.#timer = setTimeout(() => void this.#read(storage, listing, pending), this.#waitMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#listing = this.#timer = undefined;
    this.#waitMs = FIRST_WAIT_MS;
    this.#gone.clear();
  }

  async #read(storage: Api, listing: FolderListing, pending: readonly FileRecord[]): Promise<void> {
    const { signal } = this.#stop;
    const read = ({ id }: FileRecord) =>
      readFile(storage, id, signal).catch((error: unknown) => {
        if (isGone(error)) this.#gone.add(id);
        return undefined;
      });
    const files = await Promise.all(pending.map(read));
    if (signal.aborted) return;
    const scanned = files.filter((file) => file !== undefined).filter(({ scan }) => scan !== 'pending');
    this.#waitMs = scanned.length > 0 ? FIRST_WAIT_MS : waitAfter(this.#waitMs);
    this.#timer = undefined;
    if (scanned.length > 0) listing.replaceFiles(scanned);
    this.follow(storage, listing);
  }
}

/**
 * Reads a file again until its virus scan has ended.
 * @throws ApiError if the file was deleted, or the reason of the signal when it is aborted. Other failures are tried again.
 */
export async function waitForScan(storage: Api, id: string, signal: AbortSignal): Promise<FileRecord> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = waitAfter(waitMs)) {
    await sleep(waitMs, signal);
    const file = await readFile(storage, id, signal).catch((error: unknown) => {
      if (isGone(error) || signal.aborted) throw error;
      return undefined;
    });
    if (file && file.scan !== 'pending') return file;
  }
}

const readFile = (storage: Api, id: string, signal: AbortSignal): Promise<FileRecord> =>
  storage.get<FileRecord>(`/v1/files/${id}`, { signal });

const isGone = (error: unknown): boolean => error instanceof ApiError && error.status === 404;
