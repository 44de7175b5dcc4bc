import { existsSync } from 'node:fs';
import { installPackages } from './debian.js';

/** Browser engines that the tests drive. */
export type Engine = 'chromium' | 'firefox' | 'webkit';

/** Reports whether a run includes a browser engine. `ENGINES=chromium,firefox` narrows a run. @default all three */
export const isWanted = (engine: Engine): boolean => (process.env['ENGINES'] ?? engine).split(',').includes(engine);

/** @throws Error if TEST_BROWSERS_REQUIRED is set, as in CI */
function reportMissing(browser: string): undefined {
  const message = `${browser} is not installed`;
  if (process.env['TEST_BROWSERS_REQUIRED']) throw new Error(`${message}, but TEST_BROWSERS_REQUIRED is set.`);
  console.warn(`${message}. Its tests are skipped.`);
  return undefined;
}

const FIREFOX = ['/usr/bin/firefox-esr', '/usr/bin/firefox', '/Applications/Firefox.app/Contents/MacOS/firefox'];

/** Finds or installs Firefox. @returns its path, or undefined */
export function findFirefox(): string | undefined {
  const stated = process.env['FIREFOX_PATH'];
  if (stated) return stated;
  const installed = FIREFOX.find((path) => existsSync(path));
  if (installed) return installed;
  return installPackages(['firefox-esr'], ['/usr/bin/firefox-esr']) ? '/usr/bin/firefox-esr' : reportMissing('Firefox');
}

const findMiniBrowser = (): string | undefined =>
  ['x86_64-linux-gnu', 'aarch64-linux-gnu']
    .map((arch) => `/usr/lib/${arch}/webkit2gtk-4.1/MiniBrowser`)
    .find((path) => existsSync(path));

/** Finds or installs WebKitGTK's browser with its driver and Xvfb. @returns the path of MiniBrowser, or undefined */
export function findWebKit(): string | undefined {
  const isInstalled = installPackages(['webkit2gtk-driver', 'xvfb'], ['/usr/bin/WebKitWebDriver', '/usr/bin/Xvfb']);
  return (isInstalled ? findMiniBrowser() : undefined) ?? reportMissing('WebKit');
}
