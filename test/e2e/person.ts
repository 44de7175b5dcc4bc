import { chromium } from 'playwright-core';
import type { BrowserContext } from 'playwright-core';
import { launch as launchFirefox } from 'puppeteer-core';
import { CHROMIUM_FLAGS, findChromium } from '../setup/chromium.js';
import { findFirefox } from '../setup/engines.js';

/** What a person does on a page with one uploader in a form, in whichever browser. */
export interface Person {
  choose(paths: string[]): Promise<void>;
  /** Says yes when the page asks whether it may be left. */
  reload(): Promise<void>;
  /** How many uploads the form would send. */
  sent(): Promise<number>;
  /** The system tells the browser that there is no network; absent where it cannot be told. */
  setOffline?(offline: boolean): Promise<void>;
  leave(): Promise<void>;
}

export interface Visitors {
  /** A new person, with a profile of their own, on a page. */
  visit(address: string): Promise<Person>;
  close(): Promise<void>;
}

const INPUT = 'svc-uploader input[type=file]';
const countSent = (form: Element): number => new FormData(form as HTMLFormElement).getAll('files').filter(Boolean).length;

async function inChromium(): Promise<Visitors> {
  const browser = await chromium.launch({ executablePath: await findChromium(), args: CHROMIUM_FLAGS });
  return {
    async visit(address) {
      const context: BrowserContext = await browser.newContext();
      const page = await context.newPage();
      page.on('dialog', (dialog) => void dialog.accept());
      await page.goto(address);
      return {
        choose: (paths) => page.locator(INPUT).first().setInputFiles(paths),
        reload: async () => void (await page.reload()),
        sent: () => page.$eval('form', countSent),
        setOffline: (offline) => context.setOffline(offline),
        leave: () => context.close(),
      };
    },
    close: () => browser.close(),
  };
}

async function inFirefox(executablePath: string): Promise<Visitors> {
  // Over WebDriver BiDi, the one protocol that Debian's Firefox speaks.
  const browser = await launchFirefox({ browser: 'firefox', executablePath, headless: true });
  return {
    async visit(address) {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      page.on('dialog', (dialog) => void dialog.accept());
      await page.goto(address);
      return {
        async choose(paths) {
          const input = (await page.waitForSelector(`>>> ${INPUT.split(' ')[1]}`))!;
          await (input as unknown as { uploadFile(...paths: string[]): Promise<void> }).uploadFile(...paths);
        },
        reload: async () => void (await page.reload()),
        sent: () => page.$eval('form', countSent),
        leave: () => context.close(),
      };
    },
    close: () => browser.close(),
  };
}

/** Every browser there is, by name. */
export const BROWSERS: Readonly<Record<string, () => Promise<Visitors>>> = {
  Chromium: inChromium,
  ...firefox(),
};

function firefox(): Record<string, () => Promise<Visitors>> {
  const path = findFirefox();
  if (path) return { Firefox: () => inFirefox(path) };
  console.warn('No Firefox here and none to be had: its end-to-end tests are left out.');
  return {};
}
