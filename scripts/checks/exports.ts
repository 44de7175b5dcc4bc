import { readFile, stat } from 'node:fs/promises';

type Target = string | { [condition: string]: Target };

const filesOf = (target: Target): string[] => (typeof target === 'string' ? [target] : Object.values(target).flatMap(filesOf));

/** @returns one line for every file that package.json names and the build did not make */
export async function checkExports(): Promise<string[]> {
  const manifest = JSON.parse(await readFile('package.json', 'utf8')) as {
    exports: Record<string, Target>;
    bin: Record<string, string>;
  };
  const named = [...Object.values(manifest.exports).flatMap(filesOf), ...Object.values(manifest.bin)];
  const missing = await Promise.all(
    named.map(async (file) =>
      (await stat(file).catch(() => undefined)) ? [] : [`package.json names ${file}, which the build did not make`],
    ),
  );
  return missing.flat();
}
