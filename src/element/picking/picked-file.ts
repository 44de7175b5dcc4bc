/** A file that the person chose. */
export interface PickedFile {
  file: File;
  /** Path in a chosen folder (`folder/sub/name`), else ''. */
  relativePath: string;
}

/** Restores backslashes in the name, which Chromium replaces with slashes. */
const relativePathOf = ({ webkitRelativePath: path = '', name }: File): string =>
  path.endsWith(name.replaceAll('\\', '/')) ? path.slice(0, -name.length) + name : path;

/** Converts files of an input or the clipboard. */
export const fromFileList = (files: Iterable<File>): PickedFile[] =>
  Array.from(files, (file) => ({ file, relativePath: relativePathOf(file) }));
