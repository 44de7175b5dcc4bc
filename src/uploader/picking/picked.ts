/** A file the person chose, with its place in a chosen folder (`folder/sub/name`), else ''. */
export interface Picked {
  file: File;
  relativePath: string;
}

/** From an input or the clipboard: browsers put the place into `webkitRelativePath`. */
export const fromList = (files: Iterable<File>): Picked[] =>
  Array.from(files, (file) => ({ file, relativePath: file.webkitRelativePath ?? '' }));
