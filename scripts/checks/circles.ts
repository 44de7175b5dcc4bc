import { readFile } from 'node:fs/promises';
import { importsOf, sourceFiles } from './source-files.js';

/** @returns one line for every circle of imports, types included. A dynamic `import()` runs later and does not count. */
export async function checkCircles(): Promise<string[]> {
  const imports = new Map<string, string[]>();
  for (const file of await sourceFiles()) {
    const found = importsOf(file, await readFile(file, 'utf8')).filter(({ dynamic }) => !dynamic);
    imports.set(
      file,
      found.flatMap((target) => target.path ?? []),
    );
  }
  const problems: string[] = [];
  const seen = new Set<string>();
  const visit = (file: string, path: string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) problems.push(`${[...path.slice(start), file].join(' imports ')}: a circle`);
    if (seen.has(file)) return;
    seen.add(file);
    for (const next of imports.get(file) ?? []) visit(next, [...path, file]);
  };
  for (const file of imports.keys()) visit(file, []);
  return problems;
}
