import { readFile, writeFile } from 'node:fs/promises';

// `npm ci` refuses a lock without the optional packages of all platforms. npm writes such a lock behind a registry mirror that carries one
// platform only. `npx tsx scripts/checks/lock.ts --write` completes it.

/** A package of the lock. */
interface Entry {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  resolved?: string;
  optionalDependencies?: Record<string, string>;
}

interface Lock {
  packages: Record<string, Entry>;
}

const OSES = ['android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'aix', 'win32'];
const CPUS = ['arm64', 'arm', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x', 'loong64', 'mips64el'];

/** Reads the platform from the name of a package, such as `…-linux-arm64-musl`. */
function platformOf(name: string): Pick<Entry, 'os' | 'cpu' | 'libc'> {
  const words = name.split(/[/-]/);
  const os = words.find((word) => OSES.includes(word));
  const cpu = words.find((word) => CPUS.includes(word));
  const libc =
    os !== 'linux'
      ? undefined
      : words.some((word) => word.startsWith('musl'))
        ? 'musl'
        : words.includes('gnu')
          ? 'glibc'
          : undefined;
  return { ...(os && { os: [os] }), ...(cpu && { cpu: [cpu] }), ...(libc && { libc: [libc] }) };
}

/** Returns the paths at which Node looks for a package, innermost first. */
function lookupPaths(from: string, name: string): string[] {
  const folders = from.split('/node_modules/');
  return folders
    .map((_, index) => `${folders.slice(0, folders.length - index).join('/node_modules/')}/node_modules/${name}`)
    .concat(`node_modules/${name}`);
}

function missingPackages(lock: Lock): { at: string; entry: Entry }[] {
  const found: { at: string; entry: Entry }[] = [];
  for (const [path, parent] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
      if (lookupPaths(path, name).some((candidate) => candidate in lock.packages)) continue;
      if (!/^\d/.test(version)) continue;
      const isTaken = found.some((other) => other.at === `node_modules/${name}`);
      const at = isTaken ? `${path}/node_modules/${name}` : `node_modules/${name}`;
      found.push({ at, entry: { version, ...(parent.dev && { dev: true }), optional: true, ...platformOf(name) } });
    }
  }
  return found;
}

/** @returns one line for every package that the lock lacks, and for every download address in it */
export async function checkLock(): Promise<string[]> {
  const lock = JSON.parse(await readFile('package-lock.json', 'utf8')) as Lock;
  const withAddress = Object.entries(lock.packages).filter(([, entry]) => entry.resolved?.startsWith('http'));
  return [
    ...missingPackages(lock).map(
      ({ at }) => `package-lock.json lacks ${at}, so npm ci fails; run npx tsx scripts/checks/lock.ts --write`,
    ),
    ...withAddress.map(([path]) => `package-lock.json names a download address for ${path}`),
  ];
}

if (process.argv.includes('--write')) {
  const lock = JSON.parse(await readFile('package-lock.json', 'utf8')) as Lock;
  for (const { at, entry } of missingPackages(lock)) lock.packages[at] = entry;
  const packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
  await writeFile('package-lock.json', `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
}
