import { readdir, readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';

interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

const BARE_IMPORT =
  /(?:^|[\s;}])(?:import|export)\s*(?:[\w*${}\s,]+?\s*from\s*)?["']([^."'/][^"']*)["']|\bimport\(\s*["']([^."'/][^"']*)["']\s*\)/gm;

const OWN_IMPORT =
  /(?:^|[\s;}])(?:import|export)\s*(?:[\w*${}\s,]+?\s*from\s*)?["'](\.[^"']+)["']|\bimport\(\s*["'](\.[^"']+)["']\s*\)/gm;

/** Entries of the element and the helper, with the optional peers that each may import. */
const WITHOUT_PEERS: Record<string, readonly string[]> = { index: [], element: [], react: ['react'], server: [] };

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** Reads a built file and every file that it imports, at once or later. */
async function importedFiles(file: string, seen = new Map<string, string>()): Promise<Map<string, string>> {
  if (seen.has(file)) return seen;
  const text = await readFile(file, 'utf8');
  seen.set(file, text);
  for (const match of text.matchAll(OWN_IMPORT)) await importedFiles(join(dirname(file), (match[1] ?? match[2])!), seen);
  return seen;
}

/**
 * Checks that the element leads to no optional peer. Bundlers follow every import, also dynamic ones, and fail at a package that is not
 * installed.
 */
async function checkPeers(dependencies: Record<string, string>): Promise<string[]> {
  const problems: string[] = [];
  for (const [entry, peers] of Object.entries(WITHOUT_PEERS)) {
    for (const [file, text] of await importedFiles(join('dist', `${entry}.js`))) {
      for (const match of text.matchAll(BARE_IMPORT)) {
        const name = packageOf((match[1] ?? match[2])!);
        const isAllowed =
          name in dependencies || peers.includes(name) || name.startsWith('node:') || builtinModules.includes(name);
        if (!isAllowed) problems.push(`dist/${entry}.js imports ${file}, which imports the optional peer ${name}`);
      }
    }
  }
  return problems;
}

/**
 * Checks that every package that the built files import is a dependency or an optional peer, and that every peer is installed for the tests.
 * @returns one line for each problem
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
  const problems = await checkPeers(dependencies);
  for (const [name, file] of imported) {
    if (name in dependencies) continue;
    if (!(name in peerDependencies)) problems.push(`${file} imports ${name}, which is neither a dependency nor a peer`);
    else if (peerDependenciesMeta[name]?.optional !== true) problems.push(`package.json: the peer ${name} must be optional`);
  }
  for (const name of Object.keys(peerDependencies)) {
    if (!imported.has(name)) problems.push(`package.json: no built file imports the peer ${name}`);
    if (!(name in devDependencies)) problems.push(`package.json: devDependencies lacks the peer ${name}`);
  }
  return problems;
}
