import { relativePathOf } from '../../protocol/relative-path.js';

/** A file that the person chose. */
export interface PickedFile {
  file: File;
  /** Path in a chosen folder (`folder/sub/name`), else ''. */
  relativePath: string;
  /** Address from which the service fetches the file. `file` only has its name then. */
  url?: string;
}

/** Converts files of an input or the clipboard. */
export const fromFileList = (files: Iterable<File>): PickedFile[] =>
  Array.from(files, (file) => ({ file, relativePath: relativePathOf(file) }));
