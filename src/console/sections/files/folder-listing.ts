import type { FileRecord } from '../../../protocol/types.js';
import type { Api, Query } from '../../api/api.js';
import { isAbort } from '../../api/api-error.js';
import { fileEntry, folderEntry } from './entries.js';
import type { Entry } from './entries.js';

export interface ListOrder {
  sort: 'name' | 'size' | 'updated';
  order: 'asc' | 'desc';
}

interface Page {
  files: FileRecord[];
  prefixes: string[];
  cursor: string | null;
}

const FOLDERS_OF_A_PAGE = 1000;
const FILES_OF_A_PAGE = 200;

/**
 * The entries of a folder, page by page: first its folders, then its files in the chosen order. Each list has a cursor of its own, so a folder
 * may have any number of both.
 */
export class FolderListing {
  entries: Entry[] = [];
  folders = 0;
  isLoading = false;
  error: unknown;
  readonly #stop = new AbortController();
  /** Cursors of the next pages; null after the last one. */
  #folderCursor: string | null | undefined;
  #fileCursor: string | null | undefined;
  /** Files that were loaded together with the first folders. */
  #waitingFiles: Entry[] = [];

  /** @param changed called after each page */
  constructor(
    private readonly storage: Api,
    readonly prefix: string,
    readonly order: ListOrder,
    private readonly changed: () => void,
    /** Fields of a search. It covers the folder and all folders below it, and lists files only. */
    readonly search?: Query | undefined,
  ) {
    if (search) this.#folderCursor = null;
  }

  get hasMore(): boolean {
    return this.#folderCursor !== null || this.#fileCursor !== null;
  }

  /** Stops the requests. */
  stop(): void {
    this.#stop.abort();
  }

  /** Loads the next page. A page of files may be empty, so it continues until there are some. */
  async loadMore(): Promise<void> {
    if (this.isLoading || !this.hasMore) return;
    this.isLoading = true;
    this.error = undefined;
    this.changed();
    try {
      const before = this.entries.length;
      do await this.#loadPage();
      while (this.entries.length === before && this.hasMore);
    } catch (error) {
      if (isAbort(error)) return;
      this.error = error;
    }
    this.isLoading = false;
    this.changed();
  }

  async #loadPage(): Promise<void> {
    const isFirst = this.#folderCursor === undefined;
    if (this.#folderCursor === null) {
      this.entries = [...this.entries, ...(await this.#loadFiles())];
      return;
    }
    const [folders, files] = await Promise.all([this.#loadFolders(), isFirst ? this.#loadFiles() : []]);
    this.#waitingFiles.push(...files);
    this.entries = [...this.entries, ...folders];
    this.folders += folders.length;
    if (this.#folderCursor !== null) return;
    this.entries.push(...this.#waitingFiles);
    this.#waitingFiles = [];
  }

  async #loadFolders(): Promise<Entry[]> {
    const page = await this.#read({ only: 'folders', limit: FOLDERS_OF_A_PAGE, cursor: this.#folderCursor ?? undefined });
    this.#folderCursor = page.cursor;
    return page.prefixes.map(folderEntry);
  }

  async #loadFiles(): Promise<Entry[]> {
    const page = await this.#read({ ...this.order, limit: FILES_OF_A_PAGE, cursor: this.#fileCursor ?? undefined });
    this.#fileCursor = page.cursor;
    return page.files.map(fileEntry);
  }

  #read(query: Query): Promise<Page> {
    const { prefix } = this;
    return this.storage.get<Page>('/v1/files', {
      query: { prefix: prefix === '' ? undefined : prefix, ...(this.search ?? { delimiter: '/' }), ...query },
      signal: this.#stop.signal,
    });
  }
}
