import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
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

const installed = (): string | undefined =>
  ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome-stable', '/usr/bin/google-chrome'].find((path) =>
    existsSync(path),
  ) ?? Launcher.getInstallations()[0];

/**
 * A Chromium on any machine, in this order: CHROME_PATH, an installed one, Debian's package when we may install it, and the one
 * that ships inside an npm package.
 * @returns the executable's path; sets LD_LIBRARY_PATH where the shipped one needs its own libraries.
 */
export async function findChromium(): Promise<string> {
  const stated = process.env['CHROME_PATH'];
  if (stated) {
    if (!existsSync(stated)) throw new Error(`CHROME_PATH names ${stated}, which does not exist.`);
    return stated;
  }
  let path: string | undefined;
  try {
    path = installed();
  } catch {
    // chrome-launcher throws where it finds nothing
  }
  path ??= installFromDebian();
  return path ?? (await shipped());
}

function installFromDebian(): string | undefined {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined;
  try {
    const options = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const;
    execFileSync('apt-get', ['update'], options);
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], options);
    return installed();
  } catch {
    return undefined;
  }
}

async function shipped(): Promise<string> {
  const { default: chromium } = await import('@sparticuz/chromium');
  const path = await chromium.executablePath();
  const libraries = '/tmp/al2023/lib';
  if (existsSync(libraries))
    process.env['LD_LIBRARY_PATH'] = [libraries, process.env['LD_LIBRARY_PATH']].filter(Boolean).join(':');
  return path;
}
