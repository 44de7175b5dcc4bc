import { readFile, writeFile } from 'node:fs/promises';

/**
 * `npm ci` refuses a lock that lacks an optional package of any platform, and a registry mirror that carries the binaries of one
 * platform only makes npm write such a lock. `npm run check` finds it; `tsx scripts/checks/lock.ts --write` completes it.
 */
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

/** What a binary's package name says of its platform: `…-linux-arm64-musl`. */
function platform(name: string): Pick<Entry, 'os' | 'cpu' | 'libc'> {
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

/** Where Node would look for a package, from the innermost folder out. */
function places(from: string, name: string): string[] {
  const folders = from.split('/node_modules/');
  return folders
    .map((_, index) => `${folders.slice(0, folders.length - index).join('/node_modules/')}/node_modules/${name}`)
    .concat(`node_modules/${name}`);
}

function missing(lock: Lock): { at: string; entry: Entry }[] {
  const found: { at: string; entry: Entry }[] = [];
  for (const [path, parent] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
      if (places(path, name).some((place) => place in lock.packages)) continue;
      if (!/^\d/.test(version)) continue;
      const taken = found.some((one) => one.at === `node_modules/${name}`);
      const at = taken ? `${path}/node_modules/${name}` : `node_modules/${name}`;
      found.push({ at, entry: { version, ...(parent.dev && { dev: true }), optional: true, ...platform(name) } });
    }
  }
  return found;
}

/** @returns one line for every package the lock lacks, and for every download address in it. */
export async function checkLock(): Promise<string[]> {
  const lock = JSON.parse(await readFile('package-lock.json', 'utf8')) as Lock;
  const addressed = Object.entries(lock.packages).filter(([, entry]) => entry.resolved?.startsWith('http'));
  return [
    ...missing(lock).map(({ at }) => `package-lock.json lacks ${at}, so npm ci refuses: tsx scripts/checks/lock.ts --write`),
    ...addressed.map(([path]) => `package-lock.json names a download address for ${path}`),
  ];
}

if (process.argv.includes('--write')) {
  const lock = JSON.parse(await readFile('package-lock.json', 'utf8')) as Lock;
  for (const { at, entry } of missing(lock)) lock.packages[at] = entry;
  const packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
  await writeFile('package-lock.json', `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
}
