/**
 * Returns the path of a chosen file in its folder (`folder/sub/name`); '' if the file was chosen without a folder. Restores backslashes
 * of the file name, which Chromium replaces with slashes.
 */
export const relativePathOf = ({ webkitRelativePath: path = '', name }: File): string =>
  path.endsWith(name.replaceAll('\\', '/')) ? path.slice(0, -name.length) + name : path;
