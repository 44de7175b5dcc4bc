import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { Launcher } from 'chrome-launcher';

/** Flags under which Chromium runs as root, without a display and without calling home. */
export const CHROMIUM_FLAGS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];

const findInstalledChromium = (): string | undefined =>
  ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome-stable', '/usr/bin/google-chrome'].find((path) =>
    existsSync(path),
  ) ?? Launcher.getInstallations()[0];

/**
 * Finds Chromium in this order: CHROME_PATH, an installed one, Debian's package (as root), the binary inside an npm package. Sets
 * LD_LIBRARY_PATH if that binary needs the libraries of its package.
 * @returns the path of the executable
 */
export async function findChromium(): Promise<string> {
  const stated = process.env['CHROME_PATH'];
  if (stated) {
    if (!existsSync(stated)) throw new Error(`CHROME_PATH names ${stated}, which does not exist.`);
    return stated;
  }
  let path: string | undefined;
  try {
    path = findInstalledChromium();
  } catch {
    // chrome-launcher throws if it finds none.
  }
  path ??= installFromDebian();
  return path ?? (await unpackChromium());
}

function installFromDebian(): string | undefined {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined;
  try {
    const options = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const;
    execFileSync('apt-get', ['update'], options);
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], options);
    return findInstalledChromium();
  } catch {
    return undefined;
  }
}

/** Unpacks Chromium from the npm package, with the libraries of the package if the machine lacks NSS. */
async function unpackChromium(): Promise<string> {
  const { default: chromium } = await import('@sparticuz/chromium');
  const path = await chromium.executablePath();
  if (!canRun(path)) {
    const folder = join(tmpdir(), 'svc-chromium-libraries');
    const packed = fileURLToPath(new URL('../bin/al2023.tar.br', import.meta.resolve('@sparticuz/chromium')));
    mkdirSync(folder, { recursive: true });
    execFileSync('tar', ['-x', '-C', folder], { input: brotliDecompressSync(readFileSync(packed)) });
    process.env['LD_LIBRARY_PATH'] = [join(folder, 'lib'), process.env['LD_LIBRARY_PATH']].filter(Boolean).join(':');
  }
  return path;
}

function canRun(path: string): boolean {
  try {
    execFileSync(path, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
