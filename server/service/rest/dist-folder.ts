import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Returns the folder of the build. The package's own name finds it from the sources and from the build. */
export const distFolder = (): string =>
  join(dirname(createRequire(import.meta.url).resolve('svc-uploader/package.json')), 'dist');

/** @returns undefined if there is no such file */
export async function readBuiltFile(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
