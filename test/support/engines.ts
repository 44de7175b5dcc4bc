import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Installs Debian packages where we may; says whether every one of the files is there afterwards. */
export function ensureDebian(packages: string[], files: string[]): boolean {
  if (files.every((file) => existsSync(file))) return true;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false;
  const options = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const;
  try {
    execFileSync('apt-get', ['update'], options);
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', ...packages], options);
  } catch {
    return false;
  }
  return files.every((file) => existsSync(file));
}

/** Whether a browser takes part. ENGINES=chromium, of chromium,firefox,webkit, narrows a run while working. */
export const isWanted = (engine: string): boolean => (process.env['ENGINES'] ?? engine).split(',').includes(engine);

/** @throws Error where TEST_BROWSERS_REQUIRED is set, as in CI: there nothing is left out. */
function isMissing(engine: string): undefined {
  const message = `No ${engine} here and none to be had`;
  if (process.env['TEST_BROWSERS_REQUIRED']) throw new Error(`${message}.`);
  console.warn(`${message}: its tests are left out.`);
  return undefined;
}

/** Firefox's path, or undefined where there is none to be had. */
export function findFirefox(): string | undefined {
  const stated = process.env['FIREFOX_PATH'];
  if (stated) return stated;
  const path = ['/usr/bin/firefox-esr', '/usr/bin/firefox', '/Applications/Firefox.app/Contents/MacOS/firefox'].find((one) =>
    existsSync(one),
  );
  if (path) return path;
  return ensureDebian(['firefox-esr'], ['/usr/bin/firefox-esr']) ? '/usr/bin/firefox-esr' : isMissing('Firefox');
}

const findMiniBrowser = (): string | undefined =>
  ['x86_64-linux-gnu', 'aarch64-linux-gnu']
    .map((arch) => `/usr/lib/${arch}/webkit2gtk-4.1/MiniBrowser`)
    .find((path) => existsSync(path));

/** The path of WebKitGTK's browser, beside which there are its driver and Xvfb; undefined where Debian's packages cannot be had. */
export function findWebKit(): string | undefined {
  const installed = ensureDebian(['webkit2gtk-driver', 'xvfb'], ['/usr/bin/WebKitWebDriver', '/usr/bin/Xvfb']);
  return (installed ? findMiniBrowser() : undefined) ?? isMissing('WebKit');
}
