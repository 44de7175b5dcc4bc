/** A file the person chose, with its place in a chosen folder (`folder/sub/name`), else ''. */
export interface PickedFile {
  file: File;
  relativePath: string;
}

/** Chromium writes a slash for each backslash of the name. */
const relativePathOf = ({ webkitRelativePath: path = '', name }: File): string =>
  path.endsWith(name.replaceAll('\\', '/')) ? path.slice(0, -name.length) + name : path;

/** From an input or the clipboard. */
export const fromFileList = (files: Iterable<File>): PickedFile[] =>
  Array.from(files, (file) => ({ file, relativePath: relativePathOf(file) }));
