import type { Storage } from '../../identity/credential.js';
import type { StorageContext } from '../context.js';
import { listFolders } from './list-folders.js';
import type { FolderListing, ListFoldersOptions } from './list-folders.js';
import type { ValueColumn } from './rows-by-value.js';
import { searchFiles, sortFolder } from './search-files.js';
import type { SearchOptions, SearchResult } from './search-files.js';

/** Finds files and folders. Each call reads a limited number of rows, so a page may be short, even empty, before the end. */
export class FileSearch {
  constructor(private readonly context: StorageContext) {}

  /** Finds files that match a filter, sorted by key, size or time. */
  files(storage: Storage, options: SearchOptions): Promise<SearchResult> {
    return searchFiles(this.context, storage, options);
  }

  /** Sorts the files of one folder, and reads no others. @returns undefined for a large folder */
  sortFolder(storage: Storage, options: SearchOptions & { sort: ValueColumn }): Promise<SearchResult | undefined> {
    return sortFolder(this.context, storage, options);
  }

  /** Lists the folders below a prefix without the files between them. */
  folders(storage: Storage, options: ListFoldersOptions): Promise<FolderListing> {
    return listFolders(this.context, storage, options);
  }
}
