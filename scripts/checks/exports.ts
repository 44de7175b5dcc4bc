import { readFile, stat } from 'node:fs/promises';

type Target = string | { [condition: string]: Target };

const files = (target: Target): string[] => (typeof target === 'string' ? [target] : Object.values(target).flatMap(files));

/** @returns one line for every file that package.json promises and the build did not make. */
export async function checkExports(): Promise<string[]> {
  const manifest = JSON.parse(await readFile('package.json', 'utf8')) as {
    exports: Record<string, Target>;
    bin: Record<string, string>;
  };
  const promised = [...Object.values(manifest.exports).flatMap(files), ...Object.values(manifest.bin)];
  const missing = await Promise.all(
    promised.map(async (file) =>
      (await stat(file).catch(() => undefined)) ? [] : [`package.json promises ${file}, which the build did not make`],
    ),
  );
  return missing.flat();
}
