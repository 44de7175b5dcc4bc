import { splitName } from '../../../../src/protocol/split-name.js';
import { toSafeFileName } from '../../../../src/protocol/file-names.js';

/**
 * Returns a safe and unique name in an archive for each path. Keys stored over S3 may have segments such as `..`, backslashes or control
 * characters, which programs would resolve or refuse. Names that differ only in case would replace each other on Windows and macOS.
 * @param paths relative to the root of the archive; one that ends with a slash is a folder
 */
export function zipNames(paths: readonly string[]): string[] {
  const segments = paths.map((path) =>
    path
      .split('/')
      .filter((segment) => segment !== '')
      .map((segment) => toSafeFileName(segment)),
  );
  const taken = new Set<string>();
  segments.forEach((path, index) => {
    const folders = paths[index]!.endsWith('/') ? path.length : path.length - 1;
    for (let depth = 1; depth <= folders; depth++) taken.add(path.slice(0, depth).join('/').toLowerCase());
  });
  return segments.map((path, index) => {
    if (paths[index]!.endsWith('/')) return `${path.join('/')}/`;
    const folder = path
      .slice(0, -1)
      .map((segment) => `${segment}/`)
      .join('');
    const { stem, ending } = splitName(path.at(-1) ?? 'file');
    let name = `${folder}${stem}${ending}`;
    for (let copy = 2; taken.has(name.toLowerCase()); copy++) name = `${folder}${stem} (${copy})${ending}`;
    taken.add(name.toLowerCase());
    return name;
  });
}
