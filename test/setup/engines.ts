import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { freePort } from './ports.js';

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

/** Firefox's path, or undefined where there is none to be had. */
export function findFirefox(): string | undefined {
  const stated = process.env['FIREFOX_PATH'];
  if (stated) return stated;
  const path = ['/usr/bin/firefox-esr', '/usr/bin/firefox', '/Applications/Firefox.app/Contents/MacOS/firefox'].find((one) =>
    existsSync(one),
  );
  if (path) return path;
  return ensureDebian(['firefox-esr'], ['/usr/bin/firefox-esr']) ? '/usr/bin/firefox-esr' : undefined;
}

const WEBKIT_FILES = ['/usr/bin/WebKitWebDriver', '/usr/bin/Xvfb'];

const findMiniBrowser = (): string | undefined =>
  ['x86_64-linux-gnu', 'aarch64-linux-gnu']
    .map((arch) => `/usr/lib/${arch}/webkit2gtk-4.1/MiniBrowser`)
    .find((path) => existsSync(path));

export interface WebKitDriver {
  port: number;
  miniBrowser: string;
  stop(): void;
}

/** Xvfb tells its display on descriptor 3. */
function startDisplay(): Promise<{ display: string; child: ChildProcess }> {
  const child = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`Xvfb stopped with ${code}`)));
    child.stdio[3]!.once('data', (data: Buffer) => resolve({ display: `:${data.toString().trim()}`, child }));
  });
}

async function answers(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/status`).catch(() => undefined);
  return answer?.ok === true;
}

/** Starts WebKitGTK's driver on a display of its own; undefined where Debian's packages cannot be had. */
export async function startWebKit(): Promise<WebKitDriver | undefined> {
  const installed = ensureDebian(['webkit2gtk-driver', 'xvfb'], WEBKIT_FILES);
  const miniBrowser = findMiniBrowser();
  if (!installed || !miniBrowser) return undefined;
  const { display, child } = await startDisplay();
  const port = await freePort();
  const env = { ...process.env, DISPLAY: display, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' };
  const driver = spawn('WebKitWebDriver', [`--port=${port}`], { stdio: 'ignore', env });
  for (let tries = 0; tries < 100 && !(await answers(port)); tries++) await new Promise((resolve) => setTimeout(resolve, 50));
  const stop = () => {
    driver.kill('SIGKILL');
    child.kill('SIGKILL');
  };
  process.once('exit', stop);
  return { port, miniBrowser, stop };
}
