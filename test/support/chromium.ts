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

/** Chromium without a window. It renders as Chromium does and needs half of its processor time. It has no wake locks. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';

function findWholeChromium(): string | undefined {
  const paths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome-stable', '/usr/bin/google-chrome'];
  const path = paths.find((candidate) => existsSync(candidate));
  if (path) return path;
  try {
    return Launcher.getInstallations()[0];
  } catch {
    // It throws if it finds none.
    return undefined;
  }
}

/**
 * Finds Chromium in this order: CHROME_PATH, Debian's headless shell, a whole Chromium, the binary inside an npm package. Root installs both of
 * Debian's packages if one is missing. Sets LD_LIBRARY_PATH if the binary of the npm package needs its libraries.
 * @param options.isWhole whether a headless shell will not do
 * @returns the path of the executable
 */
export async function findChromium({ isWhole = false } = {}): Promise<string> {
  const stated = process.env['CHROME_PATH'];
  if (stated) {
    if (!existsSync(stated)) throw new Error(`CHROME_PATH names ${stated}, which does not exist.`);
    return stated;
  }
  const find = isWhole ? findWholeChromium : () => (existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : undefined);
  if (!find()) installFromDebian();
  return find() ?? findWholeChromium() ?? (await unpackChromium());
}

function installFromDebian(): void {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  try {
    const options = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const;
    execFileSync('apt-get', ['update'], options);
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium', 'chromium-headless-shell'], options);
  } catch {
    // A distribution without the packages, or another process that is installing them.
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
