import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';

/** Imports of values from files of ours; types are gone before anything is loaded. */
const IMPORT = /^(?:import|export)\s+(?!type\s)(?:[^'";]*?\sfrom\s+)?'(\.[^']+)\.js'/gm;

/** @returns one line for every circle of files that load one another: what such a file finds depends on which of them comes first. */
export async function checkCircles(): Promise<string[]> {
  const loads = new Map<string, string[]>();
  for (const top of ['src', 'server', 'demo']) {
    for (const entry of await readdir(top, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
      const file = join(entry.parentPath, entry.name);
      const text = await readFile(file, 'utf8');
      loads.set(
        file,
        Array.from(text.matchAll(IMPORT), ([, path]) => normalize(join(dirname(file), `${path}.ts`))),
      );
    }
  }
  const problems: string[] = [];
  const seen = new Set<string>();
  const visit = (file: string, way: string[]): void => {
    const at = way.indexOf(file);
    if (at >= 0) problems.push(`${[...way.slice(at), file].join(' loads ')}: a circle`);
    if (seen.has(file)) return;
    seen.add(file);
    for (const next of loads.get(file) ?? []) visit(next, [...way, file]);
  };
  for (const file of loads.keys()) visit(file, []);
  return problems;
}
