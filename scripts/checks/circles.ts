import { readFile } from 'node:fs/promises';
import { importsOf, sourceFiles } from './source-files.js';

/** @returns one line for every circle of files that import one another. Types count; an `import()` does not, as it runs later. */
export async function checkCircles(): Promise<string[]> {
  const imports = new Map<string, string[]>();
  for (const file of await sourceFiles()) {
    const found = importsOf(file, await readFile(file, 'utf8')).filter(({ dynamic }) => !dynamic);
    imports.set(
      file,
      found.flatMap(({ path }) => path ?? []),
    );
  }
  const problems: string[] = [];
  const seen = new Set<string>();
  const visit = (file: string, way: string[]): void => {
    const at = way.indexOf(file);
    if (at >= 0) problems.push(`${[...way.slice(at), file].join(' imports ')}: a circle`);
    if (seen.has(file)) return;
    seen.add(file);
    for (const next of imports.get(file) ?? []) visit(next, [...way, file]);
  };
  for (const file of imports.keys()) visit(file, []);
  return problems;
}
