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

/** The entries of the element and of the helper, and the optional peers that each may import. */
const WITHOUT_PEERS: Record<string, readonly string[]> = { index: [], element: [], react: ['react'], server: [] };

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** Every built file that a file leads to, at once or later. */
async function reachable(file: string, seen = new Map<string, string>()): Promise<Map<string, string>> {
  if (seen.has(file)) return seen;
  const text = await readFile(file, 'utf8');
  seen.set(file, text);
  for (const match of text.matchAll(OWN_IMPORT)) await reachable(join(dirname(file), (match[1] ?? match[2])!), seen);
  return seen;
}

/**
 * Bundlers follow every import, also of parts that load later, and fail at a package that is not installed. So nothing of the element
 * may share a file with code that imports an optional peer.
 */
async function checkPeers(dependencies: Record<string, string>): Promise<string[]> {
  const problems: string[] = [];
  for (const [entry, peers] of Object.entries(WITHOUT_PEERS)) {
    for (const [file, text] of await reachable(join('dist', `${entry}.js`))) {
      for (const match of text.matchAll(BARE_IMPORT)) {
        const name = packageOf((match[1] ?? match[2])!);
        const isThere = name in dependencies || peers.includes(name) || name.startsWith('node:') || builtinModules.includes(name);
        if (!isThere) problems.push(`dist/${entry}.js leads to ${file}, which imports the optional peer ${name}`);
      }
    }
  }
  return problems;
}

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
  const problems = await checkPeers(dependencies);
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
