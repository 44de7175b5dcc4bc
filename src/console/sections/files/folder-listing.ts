import type { FileRecord } from '../../../protocol/types.js';
import type { Api, Query } from '../../api/api.js';
import { isAbort } from '../../api/api-error.js';
import { fileEntry, fileKey, folderEntry } from './entries.js';
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
 * may have any number of both. Folders between very many files are found by several requests; files are shown meanwhile.
 */
export class FolderListing {
  entries: Entry[] = [];
  isLoading = false;
  error: unknown;
  readonly #stop = new AbortController();
  #folders: Entry[] = [];
  #files: Entry[] = [];
  /** Cursors of the next pages; null after the last one. */
  #folderCursor: string | null | undefined;
  #fileCursor: string | null | undefined;
  /** Whether the folders are far apart, so that files are shown before all folders are found. */
  #areFoldersScattered = false;
  #isFindingFolders = false;

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

  /** Number of folders in `entries`. */
  get folders(): number {
    return this.#folders.length;
  }

  get hasMore(): boolean {
    return !this.#showsFiles || this.#fileCursor !== null;
  }

  get #showsFiles(): boolean {
    return this.#folderCursor === null || this.#areFoldersScattered;
  }

  /** Returns a loaded file. */
  findFile(id: string): FileRecord | undefined {
    return this.findFiles((file) => file.id === id, 1)[0];
  }

  /** Returns the first loaded files for which a condition holds. A list may have thousands, so it stops at the limit. */
  findFiles(condition: (file: FileRecord) => boolean, limit: number): FileRecord[] {
    const found: FileRecord[] = [];
    for (const entry of this.#files) {
      if (found.length === limit) break;
      if (entry.kind === 'file' && condition(entry.file)) found.push(entry.file);
    }
    return found;
  }

  /** Replaces loaded files by newer records of them. Their places in the list stay. */
  replaceFiles(files: readonly FileRecord[]): void {
    const replacements = new Map(files.map((file) => [fileKey(file.id), fileEntry(file)]));
    this.#files = this.#files.map((entry) => replacements.get(entry.key) ?? entry);
    this.#update();
    this.changed();
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
    if (this.#folderCursor === undefined) {
      const [found] = await Promise.all([this.#loadFolders(), this.#loadFiles()]);
      this.#areFoldersScattered = found < FOLDERS_OF_A_PAGE;
    } else if (this.#showsFiles) await this.#loadFiles();
    else await this.#loadFolders();
    if (this.#areFoldersScattered && !this.#isFindingFolders) void this.#findFolders();
    this.#update();
  }

  /** Loads the remaining folders. */
  async #findFolders(): Promise<void> {
    this.#isFindingFolders = true;
    try {
      while (this.#folderCursor !== null) {
        if ((await this.#loadFolders()) === 0) continue;
        this.#update();
        this.changed();
      }
    } catch (error) {
      if (isAbort(error)) return;
      this.error = error;
    }
    this.#isFindingFolders = false;
    this.changed();
  }

  #update(): void {
    this.entries = this.#showsFiles ? [...this.#folders, ...this.#files] : this.#folders;
  }

  /** @returns the number of folders of the page */
  async #loadFolders(): Promise<number> {
    const page = await this.#read({ only: 'folders', limit: FOLDERS_OF_A_PAGE, cursor: this.#folderCursor ?? undefined });
    this.#folderCursor = page.cursor;
    this.#folders = [...this.#folders, ...page.prefixes.map(folderEntry)];
    return page.prefixes.length;
  }

  async #loadFiles(): Promise<void> {
    const page = await this.#read({ ...this.order, limit: FILES_OF_A_PAGE, cursor: this.#fileCursor ?? undefined });
    this.#fileCursor = page.cursor;
    this.#files = [...this.#files, ...page.files.map(fileEntry)];
  }

  #read(query: Query): Promise<Page> {
    const { prefix } = this;
    return this.storage.get<Page>('/v1/files', {
      query: { prefix: prefix === '' ? undefined : prefix, ...(this.search ?? { delimiter: '/' }), ...query },
      signal: this.#stop.signal,
    });
  }
}
