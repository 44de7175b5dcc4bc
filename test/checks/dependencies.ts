import { readdir, readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { join } from 'node:path';

interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

const BARE_IMPORT =
  /(?:^|[\s;}])(?:import|export)\s*(?:[\w*${}\s,]+?\s*from\s*)?["']([^."'/][^"']*)["']|\bimport\(\s*["']([^."'/][^"']*)["']\s*\)/gm;

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/**
 * What the built npm files import has to be installable: a dependency, or an optional peer (everything the element does not need), and an
 * optional peer's range has to admit the version that is tested here.
 */
export async function checkDependencies(): Promise<string[]> {
  const manifest = JSON.parse(await readFile('package.json', 'utf8')) as Manifest;
  const { dependencies = {}, devDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
  const imported = new Map<string, string>();
  for (const folder of ['dist', 'dist/chunks']) {
    for (const name of await readdir(folder).catch(() => [])) {
      if (!name.endsWith('.js') || name === 'svc-uploader.js') continue;
      const file = join(folder, name);
      for (const match of (await readFile(file, 'utf8')).matchAll(BARE_IMPORT)) {
        const specifier = match[1] ?? match[2]!;
        if (!specifier.startsWith('node:') && !builtinModules.includes(packageOf(specifier)))
          imported.set(packageOf(specifier), file);
      }
    }
  }
  const problems: string[] = [];
  for (const [name, file] of imported) {
    if (name in dependencies) continue;
    if (!(name in peerDependencies)) problems.push(`${file} imports ${name}, which is neither a dependency nor a peer`);
    else if (peerDependenciesMeta[name]?.optional !== true) problems.push(`the peer ${name} is to be optional`);
  }
  for (const name of Object.keys(peerDependencies)) {
    if (!imported.has(name)) problems.push(`the peer ${name} is imported by nothing that is built`);
    if (!(name in devDependencies)) problems.push(`the peer ${name} is not installed for the tests (devDependencies)`);
  }
  return problems;
}
