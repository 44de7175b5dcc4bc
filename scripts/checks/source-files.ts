import { readdir } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';

/** Folders of the product, its demo and its scripts. */
const PRODUCT_FOLDERS = ['src', 'server', 'demo', 'fault-proxy', 'scripts'];
const IMPORT =
  /^\s*(?:import|export)\s+(?:[^'";]*?\sfrom\s+)?'([^']+)'|import\(\s*(?:\/\*.*?\*\/\s*)?'([^']+)'\s*\)|new URL\('(\.[^']+\.[jt]s)', import\.meta\.url\)/gm;

/** An import of a file of this repository, or of a package. */
export interface Import {
  /** The imported file, from the root of the repository. */
  path?: string;
  /** The imported package, without a path within it. */
  name?: string;
  /** Whether it is an `import()`, or the program of a worker. Both run after the module has loaded. */
  dynamic: boolean;
}

/**
 * Lists the TypeScript and JavaScript files of folders.
 * @param folders from the root of the repository. @default the product, its demo and its scripts, without tests
 */
export async function sourceFiles(folders: readonly string[] = PRODUCT_FOLDERS): Promise<string[]> {
  const files = await Promise.all(
    folders.map(async (folder) => {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    }),
  );
  return files.flat().filter((file) => /\.[jt]s$/.test(file) && !file.startsWith('demo/examples/'));
}

/** @returns every import of a file, of values and of types. */
export function importsOf(file: string, text: string): Import[] {
  return Array.from(text.matchAll(IMPORT), (match) => {
    const specifier = (match[1] ?? match[2] ?? match[3])!;
    const dynamic = match[1] === undefined;
    if (specifier.startsWith('.')) return { path: normalize(join(dirname(file), specifier)).replace(/\.js$/, '.ts'), dynamic };
    const parts = specifier.split('/');
    return { name: parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/'), dynamic };
  });
}
