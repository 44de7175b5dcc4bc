import { launch } from 'puppeteer-core';
import type { ElementHandle } from 'puppeteer-core';
import type { BrowserDriver } from './browser-page.js';
import { addFileCarrier, dropCarriedFiles, createRunner } from './page-scripts.js';

/** Drives Firefox over WebDriver BiDi, the only protocol that Debian's Firefox supports. */
export async function openFirefox(executablePath: string): Promise<BrowserDriver> {
  const browser = await launch({ browser: 'firefox', executablePath, headless: true });
  return {
    async open(address) {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      const consoleErrors: string[] = [];
      page.on('console', (message) => ['error', 'warn'].includes(message.type()) && consoleErrors.push(message.text()));
      page.on('pageerror', (error) => consoleErrors.push(String(error)));
      page.on('dialog', (dialog) => void dialog.accept());
      await page.goto(address);
      const choose = async (paths: string[], input: string) =>
        ((await page.waitForSelector(input)) as ElementHandle<HTMLInputElement>).uploadFile(...paths);
      return {
        go: async (to) => void (await page.goto(to)),
        reload: async () => void (await page.reload()),
        choose: (paths, uploader = 'svc-uploader') => choose(paths, `${uploader} >>> input[type=file]`),
        async drop(paths, uploader) {
          await page.evaluate(addFileCarrier);
          await choose(paths, '#carrier');
          await page.evaluate(dropCarriedFiles, uploader);
        },
        click: (selector) => page.click(selector),
        type: (selector, text) => page.type(selector, text),
        run: createRunner((script) => page.evaluate(script)),
        setOffline: (offline) => page.setOfflineMode(offline),
        consoleErrors,
        close: () => context.close(),
      };
    },
    close: () => browser.close(),
  };
}
